import { significant } from '../../../src/text/number-text.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import type { BudgetView } from '../../worker/reading-view.ts';

/** The privacy budget of a row: spent before, spent with this release, and the limit. */
export function BudgetCard({ budget }: { readonly budget: BudgetView }) {
  const { before, now, after, limit, delta } = budget;
  const left = Math.max(0, limit - after);
  const share = (epsilon: number) => `${Math.min(100, (100 * epsilon) / limit)}%`;
  const epsilon = (value: number) => `ε\u00a0${significant(value, 3)}`;
  return (
    <Card
      title="Privacy budget"
      about={`Each row may spend at most ε\u00a0${limit} at δ\u00a0=\u00a0${delta} over all private studies, counted by the ledger of this browser.`}
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
          ['left after it', after > limit ? 'nothing: over the limit' : epsilon(left)],
        ]}
      />
      <p class="small soft">
        Two releases together spend less than the sum of both, because their noises are independent.
        Rows that were in no earlier release have spent nothing.
      </p>
    </Card>
  );
}
