import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { baselinesText } from '../../features/term-text.ts';
import type { TermRow } from '../../model/inference.ts';
import { modelNames } from '../../model/model-names.ts';
import type { Report } from '../../model/report.ts';
import { reportText } from '../../model/report-text.ts';
import { postStudy, type StudyClient, studyClient } from '../../protocol/client.ts';
import { communication } from '../../protocol/communication.ts';
import { type Link, linkText } from '../../protocol/link.ts';
import type { StudyCreated, StudyView } from '../../protocol/messages.ts';
import type { PredictingModel } from '../../rows/predict.ts';
import { isImageStudy } from '../../study/image-study.ts';
import type { Study } from '../../study/study.ts';
import { studyTitle } from '../../study/study-title.ts';
import { byteText } from '../../text/number-text.ts';
import type { Ink } from '../../text/text-table.ts';
import { type Served, serve } from '../server/serve.ts';
import { runSuffice } from './demo-process.ts';
import { fitStudy } from './fit.ts';
import { silentProgress } from './progress.ts';

/** What a demo shows: a study, its sites, and what is said about them. */
export interface Demo {
  readonly title: string;
  /** Who the sites are, up to the list of them. */
  readonly about: string;
  readonly study: Study;
  readonly sites: readonly DemoSite[];
  /** What the disclosure rules said at the sites. */
  readonly audited: string;
  /** Writes one file with the rows of all sites, and returns its path. */
  pool(folder: string): string;
  /** The answers of the sites and of the one file, side by side. */
  compare(sites: Report, pooled: Report, ink: Ink): readonly string[];
  /** What the model does with rows that no site has, as text. */
  tryOut?(model: PredictingModel, ink: Ink): Promise<string>;
  /** What the numbers of bytes mean. */
  readonly traffic?: string;
  /** What to choose on the page of a site. */
  readonly choice: string;
  /** Starts what runs beside the coordinator, before the study is made; a site's home is the folder of its name. */
  beside?(folder: string): Promise<Beside>;
}

/** What runs beside the coordinator, and what is said about it. */
export interface Beside {
  /** The study, which names it. */
  readonly study: Study;
  readonly about: string;
  /** How the sum was made, up to the result. */
  readonly added: string;
  /** What each party has seen. */
  seen(): Promise<string>;
  stop(): Promise<void>;
}

export interface DemoSite {
  readonly name: string;
  readonly path: string;
  /** What its rows are. */
  readonly holds: string;
  /** Bytes of its rows. */
  readonly bytes: number;
  /** Rules of the audit that warn here, and are acknowledged. */
  readonly acknowledged: readonly string[];
}

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
and each site, as its own process, joins with one command:
`);
  const sent = await joinAll(served, created, folder, options);
  print(`\n${demo.audited}`);

  const resolution = await resolved(client);
  const added =
    beside?.added ??
    'The coordinator added the three matrices of sums and solved. This is the result:';
  print(`
${added}

${resolvedText(resolution, ink)}`);
  if (demo.tryOut !== undefined) print(`${await demo.tryOut(resolution, ink)}\n`);
  print('Would the pooled rows give the same? The same study on one file with all rows:\n');
  const pooled = (await fitStudy(study, [demo.pool(folder)], () => silentProgress)).report;
  const difference = largestDifference(resolution.report, pooled);
  for (const line of demo.compare(resolution.report, pooled, ink)) print(`  ${line}`);
  print(`
  largest difference  ${difference}
  three sites         ${resolution.report.digest}
  one file            ${pooled.digest}
`);
  await served.coordinator.runDueWork(); // the bytes of the last request are saved a moment after it
  printTraffic(await client.view(), sent, options);
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
  your turn    ${await openInvitation(served, token, demo.study)}
               (choose ${demo.choice} there, and see what would be sent)
  new study    ${served.address}/create#${token}

The coordinator runs until you press Ctrl-C.`);
  await options.untilStopped();
  print('');
  return 0;
}

function resolvedText({ study, report }: PredictingModel, ink: Ink): string {
  const shown = isImageStudy(study) ? 'fit alone' : 'coefficients';
  return reportText(report, ink, baselinesText(modelNames(study, report)), shown);
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

function link(
  served: Served,
  { id, digest, coordinatorKey }: StudyCreated,
  purpose: Link['purpose'],
  token: string,
): Link {
  return { coordinator: served.address, purpose, study: id, digest, token, coordinatorKey };
}

/** Runs `suffice join` for all sites at once, and prints a line after each; gives the bytes of their contributions. */
async function joinAll(
  served: Served,
  created: StudyCreated,
  folder: string,
  { demo, print }: DemoOptions,
): Promise<ReadonlyMap<string, number>> {
  const sent = await Promise.all(
    demo.sites.map(async ({ name, path, acknowledged }) => {
      const { token } = created.invitations.find(({ site }) => site === name)!;
      const home = join(folder, name);
      mkdirSync(home, { recursive: true });
      const invitation = join(home, `${name}.invitation`);
      writeFileSync(invitation, `${linkText(link(served, created, 'join', token))}\n`, {
        mode: 0o600,
      });
      const noted = acknowledged.length === 0 ? [] : ['--acknowledge', acknowledged.join(',')];
      const flags = ['--yes', '--quiet', '--json', '--home', home, ...noted];
      const { bytes } = JSON.parse(await runSuffice(['join', invitation, path, ...flags]));
      print(
        `  ✓ ${name.padEnd(11)}suffice join ${name}.invitation ${basename(path)} ${noted.join(' ')}`.trimEnd(),
      );
      return [name, bytes] as const;
    }),
  );
  return new Map(sent);
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

/** The bytes of each site; only those of its contribution where the coordinator does not show its traffic. */
function printTraffic(
  { sites, layout }: StudyView,
  sent: ReadonlyMap<string, number>,
  { demo, ink, print }: DemoOptions,
): void {
  const line = (label: string, ...bytes: readonly string[]) =>
    `  ${label.padEnd(36)}${bytes.map((text) => text.padStart(12)).join('')}`;
  const traffic = communication(layout, sites);
  const counted = new Map(traffic.sites.map((one) => [one.site, one]));
  print(
    ink.faint(
      counted.size === 0
        ? line('bytes of one contribution', 'sent', 'received', 'its rows')
        : line('bytes on the wire, headers included', 'sent', 'received', 'its rows'),
    ),
  );
  for (const { name, bytes } of demo.sites) {
    const { up, down } = counted.get(name) ?? { up: sent.get(name)!, down: undefined };
    print(line(name, byteText(up), down === undefined ? '' : byteText(down), byteText(bytes)));
  }
  for (const { rounds, up, down } of traffic.fedAvg) {
    print(line(`FedAvg, ${rounds} rounds, numbers alone`, byteText(up), byteText(down)));
  }
  print(demo.traffic === undefined ? '' : `\n${demo.traffic}\n`);
}
