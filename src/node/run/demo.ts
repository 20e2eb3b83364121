import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { baselinesText } from '../../features/term-text.ts';
import { modelNames } from '../../model/model-names.ts';
import type { Report } from '../../model/report.ts';
import { reportText } from '../../model/report-text.ts';
import { postStudy, type StudyClient, studyClient } from '../../protocol/client.ts';
import { communication } from '../../protocol/communication.ts';
import { type Link, linkText } from '../../protocol/link.ts';
import type { StudyCreated, StudyView } from '../../protocol/messages.ts';
import type { Study } from '../../study/study.ts';
import { studyTitle } from '../../study/study-title.ts';
import { byteText } from '../../text/number-text.ts';
import type { Ink } from '../../text/text-table.ts';
import { packageRoot } from '../files/package-files.ts';
import { type Served, serve } from '../server/serve.ts';
import { fitStudy } from './fit.ts';
import { silentProgress } from './progress.ts';

export interface DemoOptions {
  readonly study: Study;
  readonly islands: readonly Island[];
  readonly port: number;
  readonly stayUp: boolean;
  /** Resolves when the pages need not stay up any longer. */
  readonly untilStopped: () => Promise<void>;
  readonly ink: Ink;
  readonly print: (text: string) => void;
}

export interface Island {
  readonly name: string;
  readonly path: string;
  /** Rules of the audit that warn here, and are acknowledged. */
  readonly acknowledged: readonly string[];
}

/** Runs a real coordinator with a real store, and each island as its own process; returns the exit code. */
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
  const { study, islands, ink, print } = options;
  print(`
${ink.bold('Three islands, one model')}

Three islands each weighed and measured their own penguins. No island has all three species, so no
island alone can compare them:
`);
  for (const { name, path } of islands) print(`  ${name.padEnd(11)}${speciesIn(path).join(', ')}`);

  const token = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const sites = islands.map((island) => island.name);
  const created = await postStudy(served.address, token, { study, sites });
  const client = studyClient(adminLink(served, created));
  print(`
A coordinator runs at ${served.address} with its own store. The study fits
  ${ink.bold(studyTitle(study))}
and each island, as its own process, joins with one command:
`);
  await joinAll(served, created, folder, options);
  print(`
Before it sent its sums, each island checked them with twelve disclosure rules. Two islands got warnings, one for a
bird that stands out (R6), one for having only one species (R7), and acknowledged them. A small or unbalanced file
would have been refused.`);

  const resolution = await resolved(client);
  const view = await client.view();
  print(`
The coordinator added the three matrices of sums and solved. This is the result:

${reportText(resolution.report, ink, baselinesText(modelNames(resolution.study, resolution.report)))}
Would the pooled rows give the same? The same study on one file with all rows:
`);
  const pooled = await fitPooled(folder, options);
  const difference = largestDifference(resolution.report, pooled);
  printBeside(resolution.report, pooled, options);
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
               (choose examples/penguins/dream.csv there, and see what would be sent)
  new study    ${served.address}/create#${token}

The coordinator runs until you press Ctrl-C.`);
  await options.untilStopped();
  print('');
  return 0;
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

function speciesIn(path: string): readonly string[] {
  const rows = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1);
  return [...new Set(rows.map((row) => row.slice(0, row.indexOf(','))))].sort();
}

/** Runs `suffice join` for all islands at once, and prints a line after each. */
async function joinAll(
  served: Served,
  created: StudyCreated,
  folder: string,
  { islands, print }: DemoOptions,
): Promise<void> {
  await Promise.all(
    islands.map(async ({ name, path, acknowledged }) => {
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
        `  ✓ ${name.padEnd(11)}suffice join ${name}.invitation ${name}.csv ${noted.join(' ')}`.trimEnd(),
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

/** The report of the same study on one file with the rows of all islands. */
async function fitPooled(folder: string, { study, islands }: DemoOptions): Promise<Report> {
  const tables = islands.map(({ path }) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const rows = [tables[0][0], ...tables.flatMap((lines) => lines.slice(1))];
  const path = join(folder, 'pooled.csv');
  writeFileSync(path, `${rows.join('\n')}\n`);
  return (await fitStudy(study, [path], () => silentProgress)).report;
}

function largestDifference(a: Report, b: Report): number {
  const differences = a.terms!.flatMap((term, k) =>
    (['estimate', 'std.error'] as const).map((key) =>
      Math.abs((term[key] ?? 0) - (b.terms![k][key] ?? 0)),
    ),
  );
  return Math.max(...differences);
}

function printBeside(a: Report, b: Report, { ink, print }: DemoOptions): void {
  const line = (cells: readonly string[]) =>
    `  ${cells[0].padEnd(18)}${cells
      .slice(1)
      .map((cell) => cell.padStart(22))
      .join('')}`;
  print(ink.faint(line(['', 'three sites', 'one file', 'difference'])));
  a.terms!.forEach(({ term, estimate }, k) => {
    const other = b.terms![k].estimate;
    const difference = (estimate ?? 0) - (other ?? 0);
    print(line([term, String(estimate), String(other), String(difference)]));
  });
}

function printTraffic({ sites, layout }: StudyView, { ink, print }: DemoOptions): void {
  print(ink.faint('  bytes on the wire, headers included        sent    received'));
  const traffic = communication(layout, sites);
  for (const { site, up, down } of traffic.sites) {
    print(`  ${site.padEnd(36)}${byteText(up).padStart(12)}${byteText(down).padStart(12)}`);
  }
  for (const { rounds, up, down } of traffic.fedAvg) {
    const label = `FedAvg, ${rounds} rounds, numbers alone`.padEnd(36);
    print(`  ${label}${byteText(up).padStart(12)}${byteText(down).padStart(12)}`);
  }
  print('');
}
