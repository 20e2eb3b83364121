import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Section } from './section.ts';
import { type Line, markdownTable } from './table.ts';

const FILE = fileURLToPath(new URL('RESULTS.md', import.meta.url));

/** The machine and the software that measurements belong to. */
export function describeMachine(versions: Readonly<Record<string, string | null>>): string {
  const software = Object.entries({ node: process.versions.node, ...versions });
  return [
    `- machine: ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${(totalmem() / 1e9).toFixed(0)} GB, ${process.platform} ${release()}`,
    `- software: ${software.map(([name, version]) => `${name} ${version ?? '(missing)'}`).join(', ')}`,
  ].join('\n');
}

/** What is said above a section's table. */
export function sectionHead({ name, title }: Section, load: number): string {
  return `## ${name}: ${title}\n\nMeasured ${new Date().toISOString().slice(0, 16)}Z, load before ${load.toFixed(1)}.\n\n`;
}

export function loadNow(): number {
  return loadavg()[0]!;
}

/** Writes the sections that ran into bench/RESULTS.md; others stay as long as the machine is the same. */
export function writeResults(
  machine: string,
  ran: ReadonlyMap<Section, { readonly head: string; readonly lines: readonly Line[] }>,
  all: readonly Section[],
): string {
  const earlier = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  const kept = earlier.includes(machine) ? earlier.split(/^(?=## )/m).slice(1) : [];
  const parts = all.flatMap((section) => {
    const fresh = ran.get(section);
    if (fresh !== undefined) return [`${fresh.head}${markdownTable(fresh.lines)}\n`];
    return kept.filter((part) => part.startsWith(`## ${section.name}: `));
  });
  const introduction = `# Benchmarks

Written by \`npm run bench\`; every ratio is measured in one run, ours and the peer's in turn, best of several.
"codebook" fits with a given codebook, "drafted" reads the file twice.

${machine}

`;
  writeFileSync(FILE, `${(introduction + parts.join('')).trimEnd()}\n`);
  return FILE;
}
