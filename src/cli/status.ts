import type { Command } from 'commander';
import { defined } from '../defined.ts';
import { communication } from '../protocol/communication.ts';
import type { FollowedRound } from '../protocol/follow-rounds.ts';
import type { AuditEntry, StudyView, Traffic } from '../protocol/messages.ts';
import { listsSites, progressOf } from '../protocol/progress.ts';
import { devicesText } from '../site/devices-text.ts';
import { openingLines } from '../site/opening-text.ts';
import { progressText } from '../site/progress-text.ts';
import { regionLines } from '../site/region-text.ts';
import { isImageStudy } from '../study/image-study.ts';
import { isTableStudy } from '../study/study.ts';
import { studyTitle } from '../study/study-title.ts';
import { momentText, utcText } from '../text/duration.ts';
import { byteText, grouped } from '../text/number-text.ts';
import type { Ink } from '../text/text-table.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import type { Io } from './io.ts';
import { missingSitesText } from './outcome.ts';
import { connectRound, type RoundFlags, roundNumber, withRound } from './round-connection.ts';
import { inkFor, textTable } from './terminal-text.ts';

interface StatusFlags extends RoundFlags {
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** `suffice status`: where a study stands, who has contributed, and what it cost on the wire. */
export function addStatusCommand(program: Command, io: Io): void {
  const status = program
    .command('status')
    .description('where a study stands, who has contributed, and the bytes it took')
    .argument('[link]', 'file with the link; - to paste it, or set SUFFICE_LINK')
    .option('--watch', 'print events until the study is resolved')
    .option('--json', 'print JSON; with --watch one line an event');
  withRound(status).action((argument, flags) => runStatus(argument, flags, io));
}

async function runStatus(argument: string | undefined, flags: StatusFlags, io: Io): Promise<void> {
  const { client, rounds, ...asked } = await connectRound(argument, flags, io);
  let { view } = asked;
  if (flags.watch === true && view.state !== 'resolved') {
    const stop = new AbortController();
    for await (const entry of client.events(1, stop.signal)) {
      io.stdout.write(
        flags.json === true ? `${visibleJson(JSON.stringify(entry))}\n` : eventText(entry),
      );
      if (entry.event !== 'resolved') continue;
      view = await client.view();
      if (view.state === 'resolved') break; // and not one that was reopened since
    }
    stop.abort();
  }
  if (flags.json !== true) {
    io.stdout.write(statusText(view, rounds, inkFor(io)));
    return;
  }
  const answer = statusJson(view, rounds);
  io.stdout.write(
    flags.watch === true
      ? `${visibleJson(JSON.stringify(answer))}\n`
      : `${visibleJson(JSON.stringify(answer, null, 2))}\n`,
  );
}

function statusJson(
  { schema: _, layout, limit: __, study, ...view }: StudyView,
  rounds: readonly FollowedRound[],
) {
  return {
    schema: 'suffice/status@1',
    ...view,
    ...defined({ name: study.name, parents: study.parents }),
    ...(isTableStudy(study) ? { formula: study.formula } : {}),
    ...(isImageStudy(study) ? { data: study.data } : {}),
    communication: communication(layout, view.sites),
    ...(rounds.length === 1 ? {} : { rounds: rounds.map(roundJson) }),
  };
}

function roundJson({ view }: FollowedRound) {
  const { id, digest, state, resolution } = view;
  return { round: roundNumber(view), id, digest, state, ...defined({ resolution }) };
}

/** All rounds of a study and their states; nothing where there is one. */
function roundsText(rounds: readonly FollowedRound[], shown: StudyView): string[] {
  if (rounds.length === 1) return [];
  const states = rounds.map(({ view }) => `${roundNumber(view)} ${view.state}`);
  return [
    `round       ${roundNumber(shown)}; rounds: ${states.join(', ')} (--round shows another)`,
  ];
}

/** One event of a study, as a line. */
export function eventText({ at, event, detail }: AuditEntry): string {
  const shown = Object.entries(detail).filter(([, value]) => value !== false);
  const details = shown.map(([key, value]) => `${key} ${[value].flat().join(', ')}`);
  return `${utcText(at)}  ${event.padEnd(14)}  ${visibleText(details.join(' · '))}\n`;
}

function statusText(view: StudyView, rounds: readonly FollowedRound[], ink: Ink): string {
  const { study, id, sites, devices, deadline, quorum, resolution, problem, opening, you } = view;
  const late = sites.filter((site) => site.late > 0).map(({ name }) => name);
  const awaited = missingSitesText(view).filter((name) => !late.includes(name));
  const names = (list: readonly string[]) => visibleText(firstNames(list).join(', '));
  return [
    `${ink.bold(visibleText(study.name ?? studyTitle(study)))}  ${ink.faint(`study ${id}`)}`,
    ...roundsText(rounds, view),
    listsSites(view)
      ? `state       ${view.state}; ${progressText(progressOf(view))}, ${quorum} must`
      : `state       ${view.state}; ${quorum} must contribute`,
    ...(devices === undefined ? [] : [`devices     ${devicesText(devices)}`]),
    ...(deadline === undefined
      ? []
      : [`deadline    ${momentText(deadline)} (${utcText(deadline)})`]),
    ...(awaited.length === 0 ? [] : [`missing     ${names(awaited)}`]),
    ...(late.length === 0
      ? []
      : [
          `late        ${names(late)}; suffice close --include-late makes a new resolution with it`,
        ]),
    ...(view.erasedAt === undefined
      ? []
      : [`erased      contributions, ${utcText(view.erasedAt)}; the report and the log stay`]),
    ...(problem === undefined ? [] : [`problem     ${visibleText(problem)}`]),
    ...(opening === undefined
      ? []
      : openingLines(opening).map((line, k) =>
          visibleText(`${k === 0 ? 'opening     ' : '            '}${line}`),
        )),
    ...(resolution === undefined ? [] : [`resolution  ${resolution.number}, ${resolution.digest}`]),
    ...regionLines(view).map((line, k) =>
      visibleText(`${k === 0 ? 'region      ' : '            '}${line}`),
    ),
    ...(you === undefined ? [] : [`you are     ${visibleText(you.site)}`]),
    '',
    ...(listsSites(view) ? [...siteLines(view, ink), ''] : []),
  ].join('\n');
}

const MOST_NAMES = 20;
const MOST_LISTED = 200;

/** The first names of a long list, and how many more there are. */
function firstNames(names: readonly string[]): readonly string[] {
  const more = names.length - MOST_NAMES;
  return more <= 0 ? names : [...names.slice(0, MOST_NAMES), `and ${grouped(more)} more`];
}

/** A site sees its own bytes only; the analyst sees all. In a private study nobody sees any. */
function siteLines({ sites, layout, you }: StudyView, ink: Ink): string[] {
  const traffic = communication(layout, sites);
  const count = (value: number | undefined) => (value === undefined ? '' : grouped(value));
  const bytes = (one: Traffic | undefined) =>
    one === undefined ? ['', ''] : [byteText(one.up), byteText(one.down)];
  const { total } = traffic;
  const [head, ...rows] = textTable([
    ['site', 'state', 'rows', 'dropped', 'up', 'down'],
    ...sites
      .slice(0, MOST_LISTED)
      .map(({ name, state, n, dropped, traffic }) => [
        visibleText(name),
        state,
        count(n),
        count(dropped),
        ...(you === undefined || you.site === name ? bytes(traffic) : ['', '']),
      ]),
    ...(you === undefined && total !== undefined ? [['all', '', '', '', ...bytes(total)]] : []),
    ...traffic.fedAvg.map((line) => [`FedAvg ${line.rounds} rounds`, '', '', '', ...bytes(line)]),
  ]);
  const more =
    traffic.crossover === undefined
      ? ''
      : `; from ${grouped(traffic.crossover)} rounds on it moves more than any site did here`;
  return [
    ink.faint(head),
    ...rows,
    ...(sites.length > MOST_LISTED
      ? [ink.faint(`the first ${MOST_LISTED} of ${grouped(sites.length)} sites; --json lists all`)]
      : []),
    ...(traffic.fedAvg.length === 0
      ? []
      : [ink.faint(`FedAvg is for each site, headers not counted${more}`)]),
  ];
}
