import { significant } from '../../../src/text/number-text.ts';

/** Parts of a whole, each with its bar. */
export function Shares({
  shares,
}: {
  readonly shares: readonly { readonly level: string; readonly share: number }[];
}) {
  return (
    <dl class="predict-shares">
      {shares.map(({ level, share }) => (
        <div key={level}>
          <dt>{level}</dt>
          <dd>
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect class="ground" width="100" height="1" />
              <rect class="part" width={100 * share} height="1" />
            </svg>
            <data value={String(share)}>{percentText(share)}</data>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function percentText(share: number): string {
  if (share > 0 && share < 0.001) return '< 0.1 %';
  if (share < 1 && share > 0.999) return '> 99.9 %';
  return `${significant(100 * share, 3)} %`;
}
