import { useState } from 'preact/hooks';
import type { RuleId } from '../../../src/disclosure/rule.ts';
import type { Arrival } from '../../desk/arrival.ts';
import type { ReadingTold } from '../../desk/reading-told.ts';
import { ApproveCard } from './approve-card.tsx';
import { AuditCard } from './audit-card.tsx';
import { BudgetCard } from './budget-card.tsx';
import { LeavingCard } from './leaving-card.tsx';
import { ReadCard } from './read-card.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

export interface FindingsProps {
  readonly reading: ReadingTold;
  readonly arrival: Arrival;
  /** It is being sent or saved. */
  readonly busy: boolean;
  readonly onAnotherFile: () => void;
  readonly onSend: (acknowledged: readonly RuleId[]) => void;
  readonly onSave: (acknowledged: readonly RuleId[], name: string) => void;
}

/** What was read, what the rules say, what would leave; and, unless a rule refuses it, the approval. */
export function Findings(props: FindingsProps) {
  const { reading, onAnotherFile } = props;
  const [acknowledged, setAcknowledged] = useState<readonly RuleId[]>([]);
  const part = useHeadingFocus();
  const { audit, budget } = reading;
  const mark = (rule: RuleId, seen: boolean) =>
    setAcknowledged(
      seen ? [...acknowledged, rule] : acknowledged.filter((other) => other !== rule),
    );
  return (
    <div ref={part} class="stack join-findings">
      <ReadCard reading={reading} onAnotherFile={onAnotherFile} />
      {budget !== undefined && <BudgetCard budget={budget} />}
      {audit !== undefined && (
        <AuditCard audit={audit} acknowledged={acknowledged} onAcknowledge={mark} />
      )}
      {audit?.outcome !== 'refuse' && (
        <>
          <LeavingCard leaving={reading.leaving} unruled={audit === undefined} />
          <ApproveCard {...props} acknowledged={acknowledged} />
        </>
      )}
    </div>
  );
}
