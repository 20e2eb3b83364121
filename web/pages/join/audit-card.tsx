import type { Acknowledgement } from '../../../src/disclosure/acknowledgement.ts';
import {
  type Audit,
  outcomeText,
  type RuleId,
  type RuleOutcome,
  type Verdict,
} from '../../../src/disclosure/rule.ts';
import { Card } from '../../ui/card.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';

interface AuditCardProps {
  readonly audit: Audit;
  readonly acknowledged: readonly Acknowledgement[];
  readonly onAcknowledge: (rule: RuleId, seen: boolean) => void;
}

/** The disclosure rules, one on each line: the verdict, the problem and the remedy. */
export function AuditCard({ audit, acknowledged, onAcknowledge }: AuditCardProps) {
  const { outcome, rules, profile } = audit;
  const applied = rules.filter((rule) => rule.outcome !== 'not-applicable');
  const idle = rules.filter((rule) => rule.outcome === 'not-applicable');
  return (
    <Card
      title="What the rules say"
      about={`Profile ${profile}. If the rules pass, no cheap attack is known. This is not a guarantee.`}
      aside={<Outcome outcome={outcome} />}
    >
      {outcome === 'refuse' && (
        <Notice kind="bad" title={`Refused by ${namesOf(rules, 'block')}: nothing can be sent.`}>
          <p>Each rule below says what to do. Then choose the file again.</p>
        </Notice>
      )}
      <ul class="join-rules">
        {applied.map((rule) => (
          <li key={rule.rule} class={rule.outcome}>
            <Rule outcome={rule} />
            {(rule.outcome === 'warn' || rule.outcome === 'not-judged') && outcome !== 'refuse' && (
              <CheckField
                checked={acknowledged.includes(rule.rule)}
                onChange={(seen) => onAcknowledge(rule.rule, seen)}
              >
                I have read the warning of {rule.rule}, and the contribution may still be sent.
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
  pass: ['good', 'All rules pass'],
  acknowledge: ['warn', 'Warnings to acknowledge'],
  refuse: ['bad', 'Refused'],
} as const;

function Outcome({ outcome }: Pick<Audit, 'outcome'>) {
  const [kind, text] = outcomes[outcome];
  return <Tag kind={kind}>{text}</Tag>;
}

const verdicts = {
  pass: ['good', 'passes'],
  warn: ['warn', 'warns:'],
  block: ['bad', 'refuses:'],
  'not-applicable': ['plain', 'does not apply'],
  'not-judged': ['warn', 'not judged:'],
} as const;

function Rule({ outcome: result }: { readonly outcome: RuleOutcome }) {
  const { rule, outcome, note, verdicts: found } = result;
  const [kind, word] = verdicts[outcome];
  return (
    <>
      <p class="join-rule">
        <code>{rule}</code>
        <Tag kind={kind}>{word}</Tag>
        <span>
          {outcomeText(result)}
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

/** Rules that do not apply, by reason. */
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
