import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.ts';
import { createProgram } from '../src/cli/run.ts';
import { suffice, temporaryFolder, testIo } from './cli.ts';

const folder = temporaryFolder();
const bash = spawnSync('bash', ['--version']).status === 0;

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await suffice('completion', shell);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

describe('the list of commands', () => {
  it('is that of the commands themselves, which it does not load', async () => {
    const helpOf = async (names: readonly string[]) =>
      (await createProgram(names, testIo().io)).helpInformation();
    expect(await helpOf([])).toBe(await helpOf(Object.keys(commands)));
  });
});

describe('suffice completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s names every command, flag and choice', async (shell) => {
    const script = await scriptOf(shell);
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const program = await createProgram(Object.keys(commands), testIo().io);
    for (const command of all(program).slice(1)) {
      expect(script).toContain(command.name());
      for (const { long, argChoices = [] } of command.options) {
        expect(script).toContain(shell === 'fish' ? `-l ${long!.slice(2)} ` : long);
        for (const choice of argChoices) expect(script).toContain(choice);
      }
    }
  });

  it('refuses another shell', async () => {
    const { code, stderr } = await suffice('completion', 'powershell');
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });

  it.skipIf(!bash)('completes in bash', async () => {
    const path = join(folder, 'suffice.bash');
    writeFileSync(path, await scriptOf('bash'));
    const wanted: readonly (readonly [words: readonly string[], completed: readonly string[]])[] = [
      [[''], Object.keys(commands)],
      [['stu'], ['study']],
      [['study', 'cr'], ['create']],
      [['study', 'create', 's.json', '--coo'], ['--coordinator']],
      [['fit', '--ari'], ['--arithmetic']],
      [
        ['fit', 'y ~ x', 'a.csv', '--arithmetic', ''],
        ['exact', 'compact'],
      ],
      [['fit', '--save-model', 'm'], []], // then bash completes file names
      [
        ['audit-log', ''],
        ['show', 'export', 'verify'],
      ],
      [
        ['completion', ''],
        ['bash', 'zsh', 'fish'],
      ],
    ];
    // One shell for all: each line of the program is one call, as a press of Tab is.
    const quoted = (word: string) => `'${word}'`;
    const calls = wanted.map(([words]) => `press ${words.map(quoted).join(' ')}`);
    const press = `press() { COMPREPLY=(); COMP_WORDS=(suffice "$@"); COMP_CWORD=$#; _suffice; echo "\${COMPREPLY[*]}"; }`;
    const program = [`source ${quoted(path)}`, press, ...calls].join('\n');
    const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const lines = stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => line.split(' ').filter((word) => word !== ''))).toEqual(
      wanted.map(([, completed]) => completed),
    );
  });
});

describe('suffice version', () => {
  it('prints the version, or JSON', async () => {
    const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect((await suffice('version')).stdout).toBe(`${version}\n`);
    expect((await suffice('--version')).stdout).toBe(`${version}\n`);
    expect(JSON.parse((await suffice('version', '--json')).stdout)).toEqual({
      name,
      version,
      node: process.versions.node,
    });
  });
});
