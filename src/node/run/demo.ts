import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { baselinesText } from '../../features/term-text.ts';
import type { TermRow } from '../../model/inference.ts';
import { modelNames } from '../../model/model-names.ts';
import type { Report } from '../../model/report.ts';
import { reportText } from '../../model/report-text.ts';
import { postStudy, type StudyClient, studyClient } from '../../protocol/client.ts';
import { type Link, linkText } from '../../protocol/link.ts';
import type { StudyCreated } from '../../protocol/messages.ts';
import type { PredictingModel } from '../../rows/predict.ts';
import { isImageStudy } from '../../study/image-study.ts';
import type { Study } from '../../study/study.ts';
import { studyTitle } from '../../study/study-title.ts';
import type { Ink } from '../../text/text-table.ts';
import { type Served, serve } from '../server/serve.ts';
import type { Beside, Called, Demo, SiteJoined } from './demo-content.ts';
import { runSuffice } from './demo-process.ts';
import { trafficText } from './demo-traffic.ts';
import { fitStudy } from './fit.ts';
import { silentProgress } from './progress.ts';

const threeSites: Called = {
  one: 'site',
  all: 'three sites',
  pooled: 'one file',
  question: 'Would the pooled rows give the same? The same study on one file with all rows:',
};

export interface DemoOptions {
  readonly demo: Demo;
  readonly port: number;
  readonly stayUp: boolean;
  /** Resolves when the pages need not stay up any longer. */
  readonly untilStopped: () => Promise<void>;
  readonly ink: Ink;
  readonly print: (text: string) => void;
}

/** Runs a real coordinator with a real store, and each site as its own process; returns the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-demo-'));
  let served: Served | undefined;
  let beside: Beside | undefined;
  try {
    served = await startCoordinator(folder, options.port);
    beside = await options.demo.beside?.(folder);
    return await showDemo(served, beside, folder, options);
  } finally {
    await beside?.stop();
    await served?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startCoordinator(folder: string, port: number): Promise<Served> {
  const data = join(folder, 'coordinator');
  try {
    return await serve({ data, port, log: 'none' });
  } catch {
    return serve({ data, port: 0, log: 'none' }); // the port is in use
  }
}

async function showDemo(
  served: Served,
  beside: Beside | undefined,
  folder: string,
  options: DemoOptions,
): Promise<number> {
  const { demo, ink, print } = options;
  const study = beside?.study ?? demo.study;
  const { one, all, pooled: whole, question } = demo.called ?? threeSites;
  print(`\n${ink.bold(demo.title)}\n\n${demo.about}\n`);
  for (const { name, holds } of demo.sites) print(`  ${name.padEnd(11)}${holds}`);

  const token = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const sites = demo.sites.map(({ name }) => name);
  const created = await postStudy(served.address, token, { study, sites });
  const client = studyClient(adminLink(served, created));
  if (beside !== undefined) print(`\n${beside.about}`.trimEnd());
  print(`
A coordinator runs at ${served.address} with its own store. The study fits
  ${ink.bold(studyTitle(study))}
and each ${one}, as its own process, joins with one command:
`);
  const joined = await joinAll(served, created, folder, options);
  print(`\n${demo.audited}`);

  const resolution = await resolved(client);
  const added =
    beside?.added ??
    'The coordinator added the three matrices of sums and solved. This is the result:';
  print(`
${added}

${resolvedText(resolution, ink)}`);
  if (demo.tryOut !== undefined) print(`${await demo.tryOut(resolution, ink)}\n`);
  print(`${question}\n`);
  const pooled = (await fitStudy(study, [demo.pool(folder)], () => silentProgress)).report;
  const difference = largestDifference(resolution.report, pooled);
  for (const line of demo.compare(resolution.report, pooled, ink)) print(`  ${line}`);
  print(`
  largest difference  ${difference}
  ${all.padEnd(20)}${resolution.report.digest}
  ${whole.padEnd(20)}${pooled.digest}
`);
  await served.coordinator.runDueWork(); // the bytes of the last request are saved a moment after it
  const as = (site: string) => studyClient(invitationOf(served, created, site));
  print(
    (await beside?.traffic?.({ joined, as })) ??
      trafficText(await client.view(), joined, demo, ink),
  );
  if (beside !== undefined) print(`${await beside.seen()}\n`);
  if (difference !== 0 || pooled.digest !== resolution.report.digest) {
    print('They differ, which must not happen. Please report it.');
    return 1;
  }
  if (!options.stayUp) {
    print(`${ink.bold('Identical.')} Without --exit its pages stay available.\n`);
    return 0;
  }
  const page = (name: string) =>
    linkText(adminLink(served, created)).replace('/study#', `/${name}#`);
  print(`${ink.bold('Identical.')} In a browser:

  the result   ${page('result')}
  the study    ${page('study')}
${await yourTurn(served, token, demo)}  new study    ${served.address}/create#${token}

The coordinator runs until you press Ctrl-C.`);
  await options.untilStopped();
  print('');
  return 0;
}

function resolvedText({ study, report }: PredictingModel, ink: Ink): string {
  const shown = isImageStudy(study) ? 'fit alone' : 'coefficients';
  return reportText(report, ink, baselinesText(modelNames(study, report)), shown);
}

/** A line with an invitation for the person who looks, if a page takes such a study. */
async function yourTurn(served: Served, token: string, { study, choice }: Demo): Promise<string> {
  if (choice === undefined) return '';
  return `  your turn    ${await openInvitation(served, token, study)}
               (choose ${choice} there, and see what would be sent)
`;
}

/** The same study with one site: the person who opens the link. */
async function openInvitation(served: Served, token: string, study: Study): Promise<string> {
  const { quorum: _, ...rest } = study;
  const own: Study = { ...rest, name: `${study.name}, your turn` };
  const created = await postStudy(served.address, token, { study: own, sites: ['you'] });
  return linkText(link(served, created, 'join', created.invitations[0].token));
}

function adminLink(served: Served, created: StudyCreated): Link {
  return link(served, created, 'study', created.adminToken);
}

function invitationOf(served: Served, created: StudyCreated, name: string): Link {
  const { token } = created.invitations.find(({ site }) => site === name)!;
  return link(served, created, 'join', token);
}

function link(
  served: Served,
  { id, digest, coordinatorKey }: StudyCreated,
  purpose: Link['purpose'],
  token: string,
): Link {
  return { coordinator: served.address, purpose, study: id, digest, token, coordinatorKey };
}

/** Runs `suffice join` for all sites at once, and prints a line after each; gives what it said at each. */
async function joinAll(
  served: Served,
  created: StudyCreated,
  folder: string,
  { demo, print }: DemoOptions,
): Promise<ReadonlyMap<string, SiteJoined>> {
  const joined = await Promise.all(
    demo.sites.map(async ({ name, path, acknowledged }) => {
      const home = join(folder, name);
      mkdirSync(home, { recursive: true });
      const invitation = join(home, `${name}.invitation`);
      writeFileSync(invitation, `${linkText(invitationOf(served, created, name))}\n`, {
        mode: 0o600,
      });
      const noted = acknowledged.length === 0 ? [] : ['--acknowledge', acknowledged.join(',')];
      const flags = ['--yes', '--quiet', '--json', '--home', home, ...noted];
      const args = ['join', invitation, resolve(folder, path), ...flags];
      const said: SiteJoined = JSON.parse(await runSuffice(args));
      print(
        `  ✓ ${name.padEnd(11)}suffice join ${name}.invitation ${basename(path)} ${noted.join(' ')}`.trimEnd(),
      );
      return [name, said] as const;
    }),
  );
  return new Map(joined);
}

/** Waits for the first resolution. */
async function resolved(client: StudyClient): ReturnType<StudyClient['resolution']> {
  const stop = new AbortController();
  for await (const { event, detail } of client.events(0, stop.signal)) {
    if (event === 'resolved') break;
    if (event === 'unresolved') throw new Error(String(detail.problem));
  }
  stop.abort();
  return client.resolution('latest');
}

/** Largest difference of an estimate or its error between two reports of one study. */
function largestDifference(a: Report, b: Report): number {
  const others = answersOf(b);
  const differences = answersOf(a).flatMap((terms, r) =>
    terms.flatMap((term, k) =>
      (['estimate', 'std.error'] as const).map((key) =>
        Math.abs((term[key] ?? 0) - (others[r][k][key] ?? 0)),
      ),
    ),
  );
  return Math.max(...differences);
}

/** The terms of each response. */
function answersOf({ terms = [], responses }: Report): readonly (readonly TermRow[])[] {
  return responses === undefined ? [terms] : responses.map((response) => response.terms);
}
