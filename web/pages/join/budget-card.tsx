import { significant } from '../../../src/model/number-text.ts';
import type { BudgetTold } from '../../desk/reading-told.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';

/** What a private release costs: what its rows have spent, would have, and may. */
export function BudgetCard({ budget }: { readonly budget: BudgetTold }) {
  const { before, now, after, limit, delta } = budget;
  const left = Math.max(0, limit - after);
  const share = (epsilon: number) => `${Math.min(100, (100 * epsilon) / limit)}%`;
  const epsilon = (value: number) => `ε\u00a0${significant(value, 3)}`;
  return (
    <Card
      title="What it spends"
      about={`Of what may ever be told about a row, by the ledger of this browser: at most ε\u00a0${limit} at δ\u00a0=\u00a0${delta}, over all private studies.`}
    >
      <div
        class={after > limit ? 'join-budget over' : 'join-budget'}
        role="img"
        aria-label={`${epsilon(before)} spent before, ${epsilon(after)} with this release, of ${epsilon(limit)}`}
      >
        <span class="after" style={{ width: share(after) }} />
        <span class="before" style={{ width: share(before) }} />
      </div>
      <Facts
        facts={[
          ['spent before', before === 0 ? 'nothing' : epsilon(before)],
          ['this release', epsilon(now)],
          ['spent with it', epsilon(after)],
          ['left after it', after > limit ? 'nothing: it is too much' : epsilon(left)],
        ]}
      />
      <p class="small soft">
        Releases add up to less than their sum, as noises do. Rows that were in no release before
        have spent nothing.
      </p>
    </Card>
  );
}
