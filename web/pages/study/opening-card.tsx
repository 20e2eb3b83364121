import { openingLines } from '../../../src/site/opening-text.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { timeText } from '../../ui/text.ts';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import type { WatchedStudy } from '../../worker/watched-study.ts';

/** Who sent wrong numbers: the sites of a total that was refused as impossible, and what is known of each. */
export function OpeningCard({
  view: { opening, state },
  link,
}: {
  readonly view: WatchedStudy;
  readonly link: StudyLink;
}) {
  const act = useAct();
  if (opening === undefined) return null;
  const { askedAt } = opening;
  const ask = () =>
    act.run(async () => {
      await call('requestOpening', [link]);
      announce('The sites are asked');
    });
  return (
    <Card
      title="Who sent wrong numbers"
      about="The total was refused as impossible, and nobody sees the numbers of one site. A site can agree to open its own: the coordinator then sees its statistic, and checks it. A site that is named is left out, and the others resolve."
    >
      <ul>
        {openingLines(opening).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {askedAt !== undefined && <p class="soft">The sites were asked on {timeText(askedAt)}.</p>}
      {state === 'closed' && askedAt === undefined && (
        <div class="step">
          <p>
            Each site decides for itself, by its link. Nothing is opened while those that have not
            agreed would be too few to hide in, unless all have agreed.
          </p>
          <Button kind="primary" busy={act.busy} onClick={ask}>
            Ask the sites to open their numbers
          </Button>
        </div>
      )}
      {act.failure !== undefined && <FailureNotice failure={act.failure} />}
    </Card>
  );
}
