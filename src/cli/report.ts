import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Heterogeneity } from '../between-sites/heterogeneity.ts';
import { isQuicklyChecked } from '../between-sites/sanity.ts';
import { defined } from '../defined.ts';
import type { Report } from '../model/report.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { FollowedRound } from '../protocol/follow-rounds.ts';
import type { Link } from '../protocol/link.ts';
import type { SealedAnalysis, SealedResolution, StudyView } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Study } from '../study/study.ts';
import { hasTitle } from '../study/study-title.ts';
import { utcText } from '../text/duration.ts';
import { visibleJson, visibleText } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { refuseUnwritable } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { awaitView, isFinal, missingSitesText } from './outcome.ts';
import { isOwnReport, type QueryFlags, queryFromFlags, withQueryFlags } from './query-flags.ts';
import { answersToPrint } from './question-flags.ts';
import { connectRound, type RoundFlags, roundNumber, withRound } from './round-connection.ts';

interface ReportFlags extends RoundFlags, QueryFlags {
  readonly resolution: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly wait?: boolean;
}

/** `suffice report`: the answer of a study, checked. */
export function addReportCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const report = program
    .command('report')
    .description('fetch the model of a study, check who signed it, and print it')
    .argument('[link]', 'file with the link; - to paste it, or set SUFFICE_LINK')
    .option('--resolution <number>', 'which of the study’s resolutions', 'latest')
    .option(
      '--out <file>',
      'keep the signed resolution, for suffice predict and suffice verify',
      asPath,
    )
    .option('--wait', 'wait until there is one')
    .option('--json', 'print the report as JSON, as suffice fit does');
  withRound(withQueryFlags(report)).action((argument, flags) => runReport(argument, flags, io));
}

async function runReport(argument: string | undefined, flags: ReportFlags, io: Io): Promise<void> {
  const number = numberOf(flags.resolution);
  refuseUnwritable('--out', flags.out);
  const asked = await connectRound(argument, flags, io);
  const { link, client, view: shown } = chosenRound(asked, flags);
  if (flags.wait === true) {
    const view = await awaitView(client, isFinal, Number.POSITIVE_INFINITY);
    if (view.state !== 'resolved' && view.resolution === undefined) {
      throw new Refusal(
        'conflict',
        `the study has no resolution: ${visibleText(view.problem ?? '')}`,
        `missing: ${visibleText(missingSitesText(view).join(', ')) || 'nobody'}`,
      );
    }
  }
  const query = queryFromFlags(flags);
  if (number !== 'latest' && !isOwnReport(query)) {
    throw new UsageError(
      'only the latest resolution can answer more questions: the sums of older ones may be gone',
      'leave out --resolution',
    );
  }
  const resolution = isOwnReport(query)
    ? await client.resolution(number)
    : await client.analyse(query);
  const { verifyResolution } = await import('../protocol/verify-resolution.ts');
  const problem = verifyResolution(resolution, link.coordinatorKey);
  if (problem !== undefined) {
    throw new Refusal(
      'not-allowed',
      `the resolution cannot be trusted: ${problem}`,
      'ask the analyst',
    );
  }
  if (flags.out !== undefined) {
    writeFileSync(flags.out, `${visibleJson(JSON.stringify(resolution, null, 2))}\n`);
  }
  const { printResult } = await import('./print-result.ts');
  const flagged = { ...resolution.report, ...(await doubts(resolution.report, link, client)) };
  const { answerFromJson } = await import('../analysis/answer-schema.ts');
  const answered = 'answers' in resolution ? resolution.answers.map(answerFromJson) : [];
  const answers = answersToPrint(answered, flags);
  await printResult(resolution.study, flagged, answers, flags, io);
  io.stderr.write(`${roundText(shown, asked.rounds)}${verdictText(resolution, flags.out)}`);
}

/** The round to report: as asked for; the newest, to wait for it; otherwise the newest that is resolved. */
function chosenRound(
  asked: Awaited<ReturnType<typeof connectRound>>,
  { round, wait }: ReportFlags,
): FollowedRound {
  if (round !== undefined || wait === true) return asked;
  return asked.rounds.findLast(({ view }) => view.resolution !== undefined) ?? asked;
}

/** Which round this is; nothing where there is one. */
function roundText(shown: StudyView, rounds: readonly FollowedRound[]): string {
  if (rounds.length === 1) return '';
  const newest = rounds[rounds.length - 1].view;
  const later = newest.id === shown.id ? '' : `; round ${roundNumber(newest)} is ${newest.state}`;
  return `round ${roundNumber(shown)} of the study${later}\n`;
}

/** Suspicious contributions, and whether the sites agree. Only the analyst sees them: a resolution, which all may read, does not have them. */
async function doubts(
  { sites, terms = [], siteEffects }: Report,
  link: Link,
  client: StudyClient,
): Promise<Pick<Report, 'flags' | 'disagreement'>> {
  if (link.purpose !== 'study' || !isQuicklyChecked(sites.length, terms.length)) return {};
  try {
    const { answers } = await client.analyse({
      questions: [{ about: 'sanity' }, { about: 'heterogeneity' }],
    });
    const { answerFromJson } = await import('../analysis/answer-schema.ts');
    const { disagreementIn } = await import('../model/disagreement.ts');
    const [sanity, compared] = answers.map(answerFromJson);
    const flags = sanity !== undefined && 'flags' in sanity ? sanity.flags : [];
    const comparable = siteEffects === undefined && terms.length > 0;
    return {
      ...(flags.length === 0 ? {} : { flags }),
      ...(comparable && compared !== undefined && 'without' in compared
        ? defined({ disagreement: disagreementIn(compared as Heterogeneity) })
        : {}),
    };
  } catch (failure) {
    if (failure instanceof Refusal) return {}; // what it was made of has changed since
    throw failure;
  }
}

function numberOf(text: string): number | 'latest' {
  if (text === 'latest') return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(
    `--resolution must be a number or latest: ${text}`,
    'suffice status says how many there are',
  );
}

/** Where the model is kept, and how it is applied to rows, if it can be. */
function keptText(study: Study, out: string): string {
  const kept = `kept in ${out}`;
  return hasTitle(study) ? `${kept}; suffice predict ${out} FILE applies it` : kept;
}

function verdictText(document: SealedResolution | SealedAnalysis, out?: string): string {
  const missing = 'missing' in document ? document.missing : [];
  const subject =
    'number' in document
      ? `resolution ${document.number} of ${utcText(document.resolvedAt)}`
      : `what resolution ${document.resolution} was made of, asked at ${document.askedAt}`;
  return [
    `${subject}: the signature and the study’s digest fit; signed by ${document.seal.key}`,
    ...(missing.length === 0 ? [] : [`without ${visibleText(missing.join(', '))}`]),
    ...(out === undefined ? [] : [keptText(document.study, out)]),
    '',
  ].join('\n');
}
