import type { Command } from 'commander';
import { aggregationOf } from '../aggregation/aggregations.ts';
import { defined } from '../defined.ts';
import { isPrivate } from '../privacy/is-private.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { StudyView } from '../protocol/messages.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { CommandEnd, exitCode, type Io } from './io.ts';
import { awaitView, isFinal, isFixed, missingSitesText } from './outcome.ts';
import { connectRound, type RoundFlags, withRound } from './round-connection.ts';

interface CloseFlags extends RoundFlags {
  readonly includeLate?: boolean;
  readonly wait?: boolean;
  readonly json?: boolean;
}

/** Longest wait without `--wait`, in milliseconds. */
const PATIENCE = 30_000;

/** `suffice close`: stops collecting and resolves. */
export function addCloseCommand(program: Command, io: Io): void {
  const close = program
    .command('close')
    .description('stop collecting and resolve')
    .argument('[link]', 'file with the analyst’s link; - to paste it')
    .option('--include-late', 'a new resolution with the contributions that came after closing')
    .option('--wait', 'wait for the resolution as long as it takes')
    .option('--json', 'print JSON');
  withRound(close).action((argument, flags) => runClose(argument, flags, io));
}

async function runClose(argument: string | undefined, flags: CloseFlags, io: Io): Promise<void> {
  const { client, view: before } = await connectRound(argument, flags, io, 'study');
  const patience = flags.wait === true ? Number.POSITIVE_INFINITY : PATIENCE;
  if (before.state !== 'closed' && before.state !== 'resolved') {
    const after = await client.close();
    if (after.state !== 'closed' && after.state !== 'resolved') {
      printStage(after, flags, io);
      return;
    }
  }
  const done = flags.wait === true ? isFinal : masked(before) ? isResolved : isFixed;
  let view = await awaitView(client, done, patience);
  if (flags.includeLate === true && view.sites.some(({ late }) => late > 0)) {
    view = await includeLate(client);
  }
  const refused = view.state !== 'resolved' && view.problem !== undefined;
  if (flags.json === true)
    io.stdout.write(`${visibleJson(JSON.stringify(closeJson(view), null, 2))}\n`);
  else (refused ? io.stderr : io.stdout).write(closeText(view));
  if (refused) throw new CommandEnd(exitCode.refused);
}

/** The sites come back to open the total; until then its problem is who is still missing. */
function masked({ study }: StudyView): boolean {
  return aggregationOf(study).masks !== undefined;
}

function isResolved({ state }: StudyView): boolean {
  return state === 'resolved';
}

/** Says that a stage has ended, in a study whose sites agree on masks. */
function printStage(view: StudyView, { json }: CloseFlags, io: Io): void {
  io.stdout.write(
    json === true
      ? `${visibleJson(JSON.stringify(closeJson(view), null, 2))}\n`
      : `study ${view.id}: this stage of its masks has ended; the sites that are there go on\n`,
  );
}

async function includeLate(client: StudyClient): Promise<StudyView> {
  await client.resolve({ includeLate: true });
  return client.view();
}

function closeJson(view: StudyView) {
  const { id, state, resolution, problem } = view;
  return {
    schema: 'suffice/close@1',
    id,
    state,
    ...defined({ resolution, problem }),
    missing: missingSitesText(view),
    late: view.sites.filter(({ late }) => late > 0).map(({ name }) => name),
  };
}

function remedyOf({ study, resolution, opening }: StudyView): string {
  return resolution !== undefined && isPrivate(study)
    ? 'keep the newest resolution (suffice report), or make a new study with a budget of its own'
    : opening !== undefined
      ? 'ask the sites to open what they sent (suffice open), or make the study again without the doubtful one'
      : 'ask the missing sites and reopen (suffice study reopen), or include late ones (--include-late)';
}

function closeText(view: StudyView): string {
  const missing = missingSitesText(view);
  const without = missing.length === 0 ? '' : `missing: ${visibleText(missing.join(', '))}\n`;
  if (view.state === 'resolved' && view.resolution !== undefined) {
    const { number, digest } = view.resolution;
    return `study ${view.id} is resolved: resolution ${number}, ${digest}\n${without}`;
  }
  if (view.problem !== undefined) {
    const state =
      view.state === 'closed' ? `study ${view.id} is closed, and has no model yet\n` : '';
    return `${state}suffice: ${visibleText(view.problem)}\n${without}  → ${remedyOf(view)}\n`;
  }
  return `study ${view.id} is ${view.state}; its resolution is on the way (suffice report --wait)\n${without}`;
}
