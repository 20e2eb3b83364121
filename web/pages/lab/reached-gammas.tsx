import type { ExperimentResult } from '../../../experiments/paper-result.ts';
import { Facts } from '../../ui/facts.tsx';

/** The factors shown first; the table has more. */
const factors: Readonly<Record<string, string>> = {
  '1.05': 'within 5 % of the exact error',
  '2': 'at most twice the exact error',
};

/** The γ from which each method is good enough. */
export function ReachedGammas({ result }: { readonly result: ExperimentResult }) {
  const table = result.tables.find(({ id }) => id === 'reached');
  if (table === undefined) return null;
  return (
    <div class="lab-reached">
      {table.rows
        .filter(({ label }) => label in factors)
        .map(({ label, cells }) => (
          <div key={label} class="stack">
            <h3>Smallest γ from which the mean error is {factors[label]}</h3>
            <Facts facts={cells.map(({ text = '' }, k) => [table.columns[k].label, text])} />
          </div>
        ))}
    </div>
  );
}
