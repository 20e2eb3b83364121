import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Digest } from '../../ui/digest.tsx';
import { download } from '../../ui/download.ts';
import { Facts } from '../../ui/facts.tsx';
import { timeText } from '../../ui/text.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';

/** How many devices there will be, nobody knows. */
function quorumText({ quorum, sites, devices }: WatchedStudy): string {
  return devices === undefined ? `${quorum} of ${sites.length}` : `${quorum}`;
}

/** The terms that the sites have agreed to. */
export function TermsCard({ view }: { readonly view: WatchedStudy }) {
  const { id, digest, createdAt, coordinatorKey, json } = view;
  return (
    <Card title="The study">
      <Facts
        facts={[
          ['Method', view.method],
          ['Protection', view.protection],
          ['Quorum', quorumText(view)],
          ['Created', timeText(createdAt)],
        ]}
      />
      <div>
        <p class="small soft">Digest of the study</p>
        <Digest text={digest} />
      </div>
      <div>
        <p class="small soft">Signing key of the coordinator</p>
        <Digest text={coordinatorKey} />
      </div>
      <div class="row">
        <Button
          kind="quiet"
          onClick={() => download(`study-${id}.json`, [json], 'application/json')}
        >
          Download the study as JSON
        </Button>
      </div>
    </Card>
  );
}
