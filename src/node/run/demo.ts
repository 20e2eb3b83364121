import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
import { packageRoot } from '../files/package-files.ts';
import { type Served, serve } from '../server/serve.ts';
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
  try {
    served = await startCoordinator(folder, options.port);
    return await showDemo(served, folder, options);
  } finally {
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

async function showDemo(served: Served, folder: string, options: DemoOptions): Promise<number> {
  const { demo, ink, print } = options;
  const { study } = demo;
  print(`\n${ink.bold(demo.title)}\n\n${demo.about}\n`);
  for (const { name, holds } of demo.sites) print(`  ${name.padEnd(11)}${holds}`);

  const token = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const sites = demo.sites.map(({ name }) => name);
  const created = await postStudy(served.address, token, { study, sites });
  const client = studyClient(adminLink(served, created));
  print(`
A coordinator runs at ${served.address} with its own store. The study fits
  ${ink.bold(studyTitle(study))}
and each site, as its own process, joins with one command:
`);
  await joinAll(served, created, folder, options);
  print(`\n${demo.audited}`);

  const resolution = await resolved(client);
  const view = await client.view();
  print(`
The coordinator added the three matrices of sums and solved. This is the result:

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
  printTraffic(view, options);
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
  your turn    ${await openInvitation(served, token, study)}
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

/** Runs `suffice join` for all sites at once, and prints a line after each. */
async function joinAll(
  served: Served,
  created: StudyCreated,
  folder: string,
  { demo, print }: DemoOptions,
): Promise<void> {
  await Promise.all(
    demo.sites.map(async ({ name, path, acknowledged }) => {
      const { token } = created.invitations.find(({ site }) => site === name)!;
      const home = join(folder, name);
      mkdirSync(home);
      const invitation = join(home, `${name}.invitation`);
      writeFileSync(invitation, `${linkText(link(served, created, 'join', token))}\n`, {
        mode: 0o600,
      });
      const noted = acknowledged.length === 0 ? [] : ['--acknowledge', acknowledged.join(',')];
      const flags = ['--yes', '--quiet', '--json', '--home', home, ...noted];
      await runSuffice(['join', invitation, path, ...flags]);
      print(
        `  ✓ ${name.padEnd(11)}suffice join ${name}.invitation ${basename(path)} ${noted.join(' ')}`.trimEnd(),
      );
    }),
  );
}

function runSuffice(args: readonly string[]): Promise<void> {
  const main = fileURLToPath(new URL('dist/command/main.js', packageRoot));
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (bytes) => {
      errors += bytes;
    });
    child.stdout.resume();
    child.on('error', failed);
    child.on('close', (code) => {
      if (code === 0) done();
      else failed(new Error(`suffice ${args[0]} ended with ${code}: ${errors.trim()}`));
    });
  });
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

function printTraffic({ sites, layout }: StudyView, { demo, ink, print }: DemoOptions): void {
  const line = (label: string, ...bytes: readonly string[]) =>
    `  ${label.padEnd(36)}${bytes.map((text) => text.padStart(12)).join('')}`;
  print(ink.faint(line('bytes on the wire, headers included', 'sent', 'received', 'its rows')));
  const traffic = communication(layout, sites);
  for (const { site, up, down } of traffic.sites) {
    const { bytes } = demo.sites.find(({ name }) => name === site)!;
    print(line(site, byteText(up), byteText(down), byteText(bytes)));
  }
  for (const { rounds, up, down } of traffic.fedAvg) {
    print(line(`FedAvg, ${rounds} rounds, numbers alone`, byteText(up), byteText(down)));
  }
  print(demo.traffic === undefined ? '' : `\n${demo.traffic}\n`);
}
