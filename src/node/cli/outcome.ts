import type { StudyClient } from '../../protocol/client.ts';
import type { StudyView } from '../../protocol/messages.ts';

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;

/** Asks for the study until `done` says so or the patience (in milliseconds) ends; gives what it saw last. */
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

/** Whether a study has come to an end for now: an answer, or the reason there is none. */
export function isSettled({ state, problem }: StudyView): boolean {
  return state === 'resolved' || (state === 'closed' && problem !== undefined);
}

/** Invited sites that nothing counts of. */
export function missingSites({ sites }: StudyView): string[] {
  return sites
    .filter(({ state }) => state === 'invited' || state === 'ready')
    .map(({ name }) => name);
}
