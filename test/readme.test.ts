import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { printedBy, runSuffice, temporaryFolder } from './cli.ts';

const root = new URL('..', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const example = readFileSync(new URL('examples/three-sites.ts', root), 'utf8');

describe('README', () => {
  it('shows the example as it is', () => {
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  it('has an example that runs and fits all three sites', async () => {
    const output = await printedBy(() => import('../examples/three-sites.ts'));
    expect(output).toContain('8 rows from 3 sites');
    expect(output).toMatch(/^ *age +0\.\d+/m);
  });

  it('links only to files that exist', () => {
    for (const [, path] of readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      expect(() => readFileSync(new URL(path, root))).not.toThrow();
    }
  });

  it('has three terminals that work as they are written, but for the port and what is asked', async () => {
    const section = readme.slice(readme.indexOf('## Run a study'), readme.indexOf('## Privacy'));
    const blocks = [...section.matchAll(/```\n(.*?)```/gs)].map(([, block]) => block);
    const commands = blocks.flatMap((block) =>
      block.replaceAll('\\\n', '').trim().split('\n').map(argumentsOf),
    );
    const [serve, ...others] = commands;
    const folder = temporaryFolder();
    const env = { SUFFICE_HOME: join(folder, 'home') };
    const inFolder = (word: string) => (word.startsWith('examples/') ? pathOf(word) : word);
    const run = (args: readonly string[]) => runSuffice(args.map(inFolder), { env, folder });
    expect(serve[0]).toBe('serve');
    const main = pathOf('dist/command/main.js');
    const coordinator = spawn(process.execPath, [main, ...serve, '--port', '0', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => {
      coordinator.kill();
    });
    const line = await new Promise<string>((done) => coordinator.stdout.once('data', done));
    const { address } = JSON.parse(String(line));
    for (const command of others.filter((args) => !args.includes('--watch'))) {
      const answers = ['--yes', '--acknowledge', 'R6,R7'];
      const asked = command[0] === 'join' ? [...command, ...answers] : command;
      const waiting = command[0] === 'report' ? [...asked, '--wait'] : asked;
      const { code, stderr } = await run(
        waiting.map((word) => (word === 'http://127.0.0.1:7700' ? address : word)),
      );
      expect(code, `${command.join(' ')}\n${stderr}`).toBe(0);
    }
    const predictions = readFileSync(join(folder, 'predictions.csv'), 'utf8').trim().split('\n');
    expect(predictions).toHaveLength(1 + 124);
  });
});

/** The words of an `npx suffice …` line. */
function argumentsOf(line: string): string[] {
  const words = line.split(/\s+/);
  expect(words.slice(0, 2)).toEqual(['npx', 'suffice']);
  return words.slice(2);
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, root));
}
