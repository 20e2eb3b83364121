import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../src/cli/run.ts';
import { apiPage } from './api-page.ts';
import { commandPage } from './command-page.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** What stands above this line is written by hand, what stands below by `npm run docs`. */
const marker = '<!-- Below this line: written by `npm run docs`. -->\n';

/** The pages that are made from the code, as they should be. */
export const builtPages: Readonly<Record<string, () => Promise<string>>> = {
  'commands.md': async () => withText('commands.md', await commandPage(runSuffice)),
  'api.md': async () => withText('api.md', apiPage(pathOf('../src'))),
};

async function runSuffice(...args: string[]): Promise<string> {
  let printed = '';
  const stream = () =>
    new Writable({
      write(chunk, _encoding, done) {
        printed += chunk;
        done();
      },
    });
  await run(args, {
    stdin: Readable.from([]),
    stdout: stream(),
    stderr: stream(),
    env: { NO_COLOR: '1' },
    nodeVersion: process.versions.node,
    onSignal: () => () => {},
  });
  return printed;
}

function withText(file: string, text: string): string {
  const [byHand, below] = readFileSync(pathOf(file), 'utf8').split(marker);
  if (below === undefined) throw new Error(`docs/${file} has lost its line: ${marker}`);
  return `${byHand}${marker}\n${text}`;
}

if (process.argv[1] === pathOf('build.ts')) {
  for (const [file, make] of Object.entries(builtPages)) writeFileSync(pathOf(file), await make());
}
