import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { manifest } from '../node/files/package-files.ts';
import type { Io } from './io.ts';

/** Name and version of this package. */
export function packageVersion(): { readonly name: string; readonly version: string } {
  const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { name, version };
}

/** `suffice version`. */
export function addVersionCommand(program: Command, io: Io): void {
  program
    .command('version')
    .description('print the version')
    .option('--json', 'print JSON, with the version of Node.js')
    .action(({ json }: { readonly json?: boolean }) => {
      const { name, version } = packageVersion();
      const answer = { name, version, node: io.nodeVersion };
      io.stdout.write(json === true ? `${JSON.stringify(answer)}\n` : `${version}\n`);
    });
}
