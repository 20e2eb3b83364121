import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { instructions } from './dockerfile.ts';
import { whyNoRegistry } from './operations-shell.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const noRegistry = whyNoRegistry();
if (noRegistry !== undefined) console.warn(`deploy/Dockerfile is not built: ${noRegistry}`);

it.skipIf(noRegistry !== undefined)(
  'deploy/Dockerfile: its steps, run as a script, make a command that answers',
  () => {
    const image = mkdtempSync(join(tmpdir(), 'suffice-image-'));
    onTestFinished(() => rmSync(image, { recursive: true, force: true }));
    /** The folders of the image are below one of this machine; its user is the one who runs this. */
    const here = (text: string) =>
      text
        .replaceAll(/(?<=^|\s)\/(build|package|data|releases|root)\b/g, `${image}/$1`)
        .replaceAll('node:node', `${process.getuid?.()}:${process.getgid?.()}`);
    const ignored = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8')
      .trim()
      .split('\n');
    const env: Record<string, string> = {
      ...(process.env as Record<string, string>),
      npm_config_prefix: join(image, 'prefix'),
      npm_config_cache: join(image, 'cache'),
      PATH: [join(image, 'prefix/bin'), process.env.PATH].join(delimiter),
    };
    let folder = image;
    const steps: Readonly<Record<string, (rest: string) => void>> = {
      WORKDIR(rest) {
        folder = here(rest);
        mkdirSync(folder, { recursive: true });
      },
      COPY(rest) {
        if (rest.startsWith('--from=')) return; // both stages are in one folder
        const words = rest.split(' ');
        for (const name of words.slice(0, -1)) {
          cpSync(join(root, name), join(folder, name), {
            recursive: true,
            filter: (path) =>
              !ignored.includes(relative(root, path)) && !/^[^/]*\.tgz$/.test(relative(root, path)),
          });
        }
      },
      ENV(rest) {
        const [name, value] = rest.split('=');
        env[name] = value;
      },
      RUN(rest) {
        const { status, stderr } = spawnSync('sh', ['-c', here(rest)], {
          cwd: folder,
          env,
          encoding: 'utf8',
        });
        expect(status, `${rest}\n${stderr}`).toBe(0);
      },
    };
    for (const [name, rest] of instructions) steps[name]?.(rest);
    expect(existsSync(join(image, 'package'))).toBe(false);
    for (const name of ['data', 'releases']) {
      expect(statSync(join(image, name)).mode & 0o777).toBe(0o700);
    }
    const said = spawnSync('suffice', ['doctor', '--json'], { env, cwd: folder, encoding: 'utf8' });
    expect([said.status, JSON.parse(said.stdout).problems]).toEqual([0, 0]);
    const pages = JSON.parse(said.stdout).results.find(
      ({ check }: { check: string }) => check === 'pages',
    );
    expect(pages.state).toBe('ok');
  },
);
