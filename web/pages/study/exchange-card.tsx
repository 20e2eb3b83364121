import type { AuditEntry } from '../../../src/protocol/messages.ts';
import type { ExchangeStep } from '../../../src/site/party-steps.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Tag } from '../../ui/tag.tsx';
import type { PlannedExchange } from '../../worker/parties-view.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';

/** Where parties hold different columns: who has which, and how far each is in the exchange. */
export function ExchangeCard({
  view: { parties, sites },
  log,
}: {
  readonly view: WatchedStudy;
  readonly log: readonly AuditEntry[];
}) {
  const exchange = parties?.exchange;
  if (exchange === undefined) return null;
  const sent = sentBy(log);
  const contributed = new Set(
    sites.flatMap(({ name, state }) => (state === 'contributed' ? [name] : [])),
  );
  const isLinked = sent.get(HELPER)?.has('links') === true;
  const { title: helping } = exchange.steps.find(({ step }) => step === 'links')!;
  return (
    <Card
      title="The exchange between the parties"
      about="Each party links its rows with those of the others, sends masked columns, and then its share. The coordinator hands the messages on and cannot read them."
    >
      <DataTable
        label="Parties and the steps they have reached"
        columns={[
          { name: 'party' },
          { name: 'its columns' },
          { name: 'has sent' },
          { name: 'next' },
        ]}
        rows={[
          ...exchange.parties.map(({ name, columns }) => {
            const done = new Set(sent.get(name));
            if (contributed.has(name)) done.add('share');
            const reached = lastOf(exchange, done);
            const next = nextOf(exchange, name, reached);
            return [
              { value: name },
              { value: columns.join(', ') },
              {
                value: reached?.title ?? 'nothing yet',
                shown: (
                  <span class="row">
                    <Tag
                      kind={reached === undefined ? 'plain' : isLast(reached) ? 'good' : 'accent'}
                    >
                      {reached?.title ?? 'nothing yet'}
                    </Tag>
                  </span>
                ),
              },
              { value: next?.title ?? 'done' },
            ];
          }),
          [
            { value: 'the helper' },
            { value: 'none' },
            {
              value: isLinked ? helping : 'nothing yet',
              shown: (
                <span class="row">
                  <Tag kind={isLinked ? 'good' : 'plain'}>{isLinked ? helping : 'nothing yet'}</Tag>
                </span>
              ),
            },
            { value: isLinked ? 'done' : helping },
          ],
        ]}
        stacks
      />
      <details>
        <summary>What the steps are</summary>
        <ol>
          {exchange.steps.map(({ step, title, about }) => (
            <li key={step}>
              <strong>{title}</strong>: {about}
            </li>
          ))}
        </ol>
      </details>
    </Card>
  );
}

/** The name of the helper in the log. */
const HELPER = '';

/** The steps whose messages each party has sent, since it last left the study. */
function sentBy(log: readonly AuditEntry[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sent = new Map<string, Set<string>>();
  for (const { event, detail } of log) {
    const site = String(detail.site ?? '');
    if (event === 'withdrawn') {
      sent.delete(site);
      sent.delete(HELPER);
    }
    if (event !== 'party-message') continue;
    const own = sent.get(site) ?? new Set();
    sent.set(site, own.add(String(detail.step)));
  }
  return sent;
}

function lastOf({ steps }: PlannedExchange, done: ReadonlySet<string>): ExchangeStep | undefined {
  return steps.findLast(({ step }) => done.has(step));
}

/** The next step in which the party sends something: the first party alone sends the secret, the helper the links. */
function nextOf(
  { steps, parties }: PlannedExchange,
  name: string,
  reached: ExchangeStep | undefined,
): ExchangeStep | undefined {
  const from = reached === undefined ? 0 : steps.indexOf(reached) + 1;
  return steps
    .slice(from)
    .find(({ step }) => step !== 'links' && (step !== 'secret' || name === parties[0].name));
}

function isLast({ step }: ExchangeStep): boolean {
  return step === 'share';
}
