import type { NoiseForecast } from '../../desk/plan-review.ts';
import { Notice } from '../../ui/notice.tsx';
import { countText } from '../../ui/words.ts';

const titles = {
  'one-shot': 'Noise will add little',
  warn: 'Noise will be seen',
  refuse: 'The answer would be mostly noise',
} as const;

/** What noise will do to the answer, before any budget is spent. */
export function Forecast({
  forecast,
  rows,
}: {
  readonly forecast: NoiseForecast | undefined;
  readonly rows: string;
}) {
  if (forecast === undefined) {
    return (
      <p class="soft small">The forecast comes when the formula and these numbers are right.</p>
    );
  }
  const { verdict, excess, rowsNeeded, guessed } = forecast;
  const needed = `For noise to add 1 % of the explained variance to the error, about ${countText(rowsNeeded)} rows are needed.`;
  if (verdict === undefined) return <p class="soft small">{needed}</p>;
  return (
    <Notice
      kind={verdict === 'one-shot' && guessed.length === 0 ? 'good' : 'warn'}
      title={titles[verdict]}
    >
      <p>
        With {countText(Number(rows))} rows it adds {excess} of the explained variance to the error
        of predictions.
      </p>
      {guessed.length > 0 && (
        <p>
          That reckons with a quarter of the range as the SD of {guessed.join(', ')}. Where the true
          one is smaller, noise weighs more: state a public centre and SD under Columns.
        </p>
      )}
      {verdict !== 'one-shot' && <p>{needed} Refinements, fewer terms or a larger ε help too.</p>}
    </Notice>
  );
}
