import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Section } from './section.ts';
import { type Line, markdownTable } from './table.ts';

const FILE = fileURLToPath(new URL('RESULTS.md', import.meta.url));

/** The machine and software of the measurements. */
export function describeMachine(versions: Readonly<Record<string, string | null>>): string {
  const software = Object.entries({ node: process.versions.node, ...versions });
  return [
    `- machine: ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${(totalmem() / 1e9).toFixed(0)} GB, ${process.platform} ${release()}`,
    `- software: ${software.map(([name, version]) => `${name} ${version ?? '(missing)'}`).join(', ')}`,
  ].join('\n');
}

/** The heading of a section: sections are measured separately, maybe on other days and machines. */
export function sectionHead({ name, title }: Section, machine: string, foreign: number): string {
  return `## ${name}: ${title}\n\nMeasured ${new Date().toISOString().slice(0, 16)}Z; just before, other processes kept the CPUs ${(foreign * 100).toFixed(0)} % busy.\n\n${machine}\n\n`;
}

/** The share of CPU time that other processes use while this one sleeps for a second. */
export async function foreignLoad(): Promise<number> {
  const count = () => {
    const times = cpus().map((cpu) => cpu.times);
    const all = times.flatMap((time) => Object.values(time)).reduce((a, b) => a + b, 0);
    return { all, idle: times.reduce((sum, time) => sum + time.idle, 0) };
  };
  const before = count();
  await sleep(1000);
  const after = count();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

/** Writes the sections that ran to bench/RESULTS.md; others stay unchanged. */
export function writeResults(
  ran: ReadonlyMap<Section, { readonly head: string; readonly lines: readonly Line[] }>,
  all: readonly Section[],
): string {
  const earlier = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const kept = earlier.split(/^(?=## )/m).slice(1);
  const parts = all.flatMap((section) => {
    const fresh = ran.get(section);
    if (fresh !== undefined) return [`${fresh.head}${markdownTable(fresh.lines)}`];
    return kept.filter((part) => part.startsWith(`## ${section.name}: `));
  });
  const introduction = `# Benchmarks

Written by \`npm run bench\`. Ours and the peer's run in turn, in one run on the same files; each keeps its best.
e2e counts our whole process but not the import of pandas, and both have two threads; "codebook" is given one, "drafted"
reads the file twice. gram, exact and solve compare one thread with one thread by wall clock. In load the coordinators, the
database and the process that stands for all sites share the machine; commits are durable on its disk.
In tab the time is that of a person with a receipt: file chosen, read, audited, approved, sent, acknowledged.

`;
  writeFileSync(FILE, `${[introduction, ...parts].map((part) => part.trimEnd()).join('\n\n')}\n`);
  return FILE;
}
