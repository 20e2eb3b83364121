import { aggregationOf } from '../aggregation/aggregations.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { StudyView } from '../protocol/messages.ts';

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;

/** Asks for the study until it is `done` or `patience` milliseconds have passed; gives the last view. */
export async function awaitView(
  client: StudyClient,
  done: (view: StudyView) => boolean,
  patience: number,
): Promise<StudyView> {
  const started = Date.now();
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 1.5)) {
    const view = await client.view();
    if (done(view) || Date.now() - started >= patience) return view;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Whether a study has a resolution, or a reason why there is none. */
export function isFixed({ state, problem }: StudyView): boolean {
  return state === 'resolved' || (state === 'closed' && problem !== undefined);
}

/** Whether waiting longer changes nothing: the coordinator does not try again, and no sites come back to open the sum. */
export function isFinal(view: StudyView): boolean {
  const { masks } = aggregationOf(view.study);
  const waits = view.retries === true || masks !== undefined;
  return view.state === 'resolved' || (isFixed(view) && !waits);
}

/** Invited sites without a contribution that counts. */
export function missingSitesText({ sites }: StudyView): string[] {
  return sites
    .filter(({ state }) => state === 'invited' || state === 'ready')
    .map(({ name }) => name);
}
