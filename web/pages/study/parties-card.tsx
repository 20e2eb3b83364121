import type { AuditEntry } from '../../../src/protocol/messages.ts';
import { Card } from '../../ui/card.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { timeText } from '../../ui/text.ts';
import type { PartyView } from '../../worker/parties-view.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';

/** Who adds the sums, what each of them sees, and what the helper has answered. */
export function PartiesCard({
  view: { parties, coordinatorKey },
  log,
}: {
  readonly view: WatchedStudy;
  readonly log: readonly AuditEntry[];
}) {
  if (parties === undefined) return null;
  const answers = log.filter(({ event }) => event === 'helper-answered');
  return (
    <Card
      title="Who adds the sums"
      about={
        parties.exchange === undefined
          ? `Nobody sees the numbers of one site. Nothing is given out about fewer than ${parties.minimumSites} sites.`
          : 'No party sees the columns of another. The shares of all parties together give the sums of the joined table.'
      }
    >
      <div class="columns">
        {parties.parties.map((one) => (
          <Party
            key={one.party}
            view={one.party === 'coordinator' ? { ...one, key: coordinatorKey } : one}
          />
        ))}
      </div>
      {parties.exchange === undefined &&
        parties.parties.some(({ party }) => party === 'helper') && <Statements answers={answers} />}
    </Card>
  );
}

function Party({ view: { party, sees, address, key } }: { readonly view: PartyView }) {
  return (
    <div class="stack">
      <h3>{party === 'helper' ? 'The helper' : 'The coordinator'}</h3>
      <p>Sees {sees}.</p>
      <p class="small soft">
        {address === undefined ? 'At the address of this page.' : `At ${address}.`}
      </p>
      {key !== undefined && (
        <div>
          <p class="small soft">It signs with</p>
          <Digest text={key} />
        </div>
      )}
    </div>
  );
}

/** What the helper has signed that it answered. Anyone can ask it for the same statement. */
function Statements({ answers }: { readonly answers: readonly AuditEntry[] }) {
  if (answers.length === 0) {
    return (
      <p class="soft">
        The helper has not answered yet. The coordinator asks it when the study is complete.
      </p>
    );
  }
  return (
    <>
      {answers.map(({ position, at, detail }) => (
        <div key={position} class="stack">
          <h3>The helper’s statement</h3>
          <Facts
            facts={[
              ['contributions', String(detail.contributions)],
              ['sites', [detail.sites ?? []].flat().map(String).join(', ')],
              ['answered', timeText(String(detail.answeredAt ?? at))],
            ]}
          />
          <div>
            <p class="small soft">Digest of the contributions that it added the masks of</p>
            <Digest text={String(detail.set)} />
          </div>
        </div>
      ))}
    </>
  );
}
