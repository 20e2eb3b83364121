import { Notice } from '../../ui/notice.tsx';
import { countText } from '../../ui/text.ts';
import type { NoiseForecast } from '../../worker/plan-review.ts';

const titles = {
  'one-shot': 'The noise will have little effect',
  warn: 'The noise will be visible in the result',
  refuse: 'The result would be mostly noise',
} as const;

/** The effect of noise on the result, before any budget is spent. */
export function ForecastTable({
  forecast,
  rows,
}: {
  readonly forecast: NoiseForecast | undefined;
  readonly rows: string;
}) {
  if (forecast === undefined) {
    return (
      <p class="soft small">The forecast appears when the formula and these numbers are valid.</p>
    );
  }
  const { verdict, excess, rowsNeeded, guessed } = forecast;
  const needed = `With about ${countText(rowsNeeded)} rows, noise adds 1 % of the explained variance to the error.`;
  if (verdict === undefined) return <p class="soft small">{needed}</p>;
  return (
    <Notice
      kind={verdict === 'one-shot' && guessed.length === 0 ? 'good' : 'warn'}
      title={titles[verdict]}
    >
      <p>
        With {countText(Number(rows))} rows, noise adds {excess} of the explained variance to the
        error of predictions.
      </p>
      {guessed.length > 0 && (
        <p>
          This uses a quarter of the range as the SD of {guessed.join(', ')}. If the true SD is
          smaller, noise has more effect: give a public centre and SD under Columns.
        </p>
      )}
      {verdict !== 'one-shot' && (
        <p>{needed} More refinements, fewer terms or a larger ε help too.</p>
      )}
    </Notice>
  );
}
