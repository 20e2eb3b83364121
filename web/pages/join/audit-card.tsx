import type { Audit, RuleId, RuleOutcome, Verdict } from '../../../src/disclosure/rule.ts';
import { Card } from '../../ui/card.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';

interface AuditCardProps {
  readonly audit: Audit;
  readonly acknowledged: readonly RuleId[];
  readonly onAcknowledge: (rule: RuleId, seen: boolean) => void;
}

/** What the disclosure rules say, a line a rule; what one objects to, and what would help. */
export function AuditCard({ audit, acknowledged, onAcknowledge }: AuditCardProps) {
  const { outcome, rules, profile } = audit;
  const told = rules.filter((rule) => rule.outcome !== 'not-applicable');
  const idle = rules.filter((rule) => rule.outcome === 'not-applicable');
  return (
    <Card
      title="What the rules say"
      about={`Profile ${profile}. Passing means that no cheap attack is known. It is no guarantee.`}
      aside={<Outcome outcome={outcome} />}
    >
      {outcome === 'refuse' && (
        <Notice kind="bad" title={`Refused by ${namesOf(rules, 'block')}: nothing may leave.`}>
          <p>Each rule below says what would help. Then choose the file again.</p>
        </Notice>
      )}
      <ul class="join-rules">
        {told.map((rule) => (
          <li key={rule.rule} class={rule.outcome}>
            <Rule outcome={rule} />
            {rule.outcome === 'warn' && outcome !== 'refuse' && (
              <CheckField
                checked={acknowledged.includes(rule.rule)}
                onChange={(seen) => onAcknowledge(rule.rule, seen)}
              >
                I have read what {rule.rule} warns of, and the file may leave all the same.
              </CheckField>
            )}
          </li>
        ))}
      </ul>
      {idle.length > 0 && <Idle rules={idle} />}
    </Card>
  );
}

const outcomes = {
  pass: ['good', 'No rule objects'],
  acknowledge: ['warn', 'Warnings to acknowledge'],
  refuse: ['bad', 'Refused'],
} as const;

function Outcome({ outcome }: Pick<Audit, 'outcome'>) {
  const [kind, words] = outcomes[outcome];
  return <Tag kind={kind}>{words}</Tag>;
}

const verdicts = {
  pass: ['good', 'pass'],
  warn: ['warn', 'warns'],
  block: ['bad', 'refuses'],
  'not-applicable': ['plain', 'does not apply'],
} as const;

function Rule({
  outcome: { rule, title, outcome, note, verdicts: found },
}: {
  readonly outcome: RuleOutcome;
}) {
  const [kind, word] = verdicts[outcome];
  return (
    <>
      <p class="join-rule">
        <code>{rule}</code>
        <Tag kind={kind}>{word}</Tag>
        <span>
          {title}
          {note !== undefined && <span class="soft"> ({note})</span>}
        </span>
      </p>
      {found.length > 0 && (
        <ul class="join-verdicts">
          {found.map((verdict, k) => (
            <li key={`${verdict.problem} ${verdict.columns.join(' ')}`}>
              <p>
                <Subject verdict={verdict} />
                {verdict.problem}
              </p>
              {found[k + 1]?.remedy !== verdict.remedy && (
                <p class="remedy">{sentence(verdict.remedy)}</p>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const SHOWN_NAMES = 8;

function Subject({ verdict: { columns, names = columns } }: { readonly verdict: Verdict }) {
  if (names.length === 0) return null;
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
  return (
    <strong>
      {names.slice(0, SHOWN_NAMES).join(', ')}
      {more}:{' '}
    </strong>
  );
}

/** Rules that do not apply, by the reason why. */
function Idle({ rules }: { readonly rules: readonly RuleOutcome[] }) {
  const reasons = [...new Set(rules.map(({ note }) => note ?? ''))];
  return (
    <details>
      <summary>
        {rules.length === 1 ? 'One rule does' : `${rules.length} rules do`} not apply
      </summary>
      <ul class="join-verdicts">
        {reasons.map((reason) => (
          <li key={reason}>
            <strong>
              {rules
                .filter(({ note = '' }) => note === reason)
                .map(({ rule }) => rule)
                .join(', ')}
            </strong>{' '}
            {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function namesOf(rules: readonly RuleOutcome[], wanted: RuleOutcome['outcome']): string {
  return rules
    .filter(({ outcome }) => outcome === wanted)
    .map(({ rule }) => rule)
    .join(', ');
}
