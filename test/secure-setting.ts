import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { type Served, serve } from '../src/node/server/serve.ts';
import { type ServedHelper, serveHelper } from '../src/node/server/serve-helper.ts';
import type { Study } from '../src/study/study.ts';
import { suffice } from './cli.ts';

/** A coordinator, a helper, and the folders of sites whose keys are known. */
export interface SecureSetting {
  readonly folder: string;
  readonly served: Served;
  readonly helper: ServedHelper;
  readonly sites: readonly string[];
  home(site: string): string;
  /** Makes a study secure and puts it on the coordinator; returns the folder of its links. */
  create(study: string, name: string, ...flags: readonly string[]): Promise<string>;
  /** Runs `suffice join` for a site, with the file of an island. */
  join(links: string, site: string, file?: string): ReturnType<typeof suffice>;
}

export const penguins = (name: string): string =>
  fileURLToPath(new URL(`../examples/penguins/${name}`, import.meta.url));

/** Starts both parties in this process, and makes the keys of the sites. Tests that kill processes start their own. */
export async function secureSetting(
  folder: string,
  sites: readonly string[] = ['biscoe', 'dream', 'torgersen'],
): Promise<SecureSetting> {
  const served = await serve({ data: join(folder, 'coordinator'), port: 0, log: 'none' });
  const helper = await serveHelper({ data: join(folder, 'helper'), port: 0, log: 'none' });
  afterAll(async () => {
    await served.stop();
    await helper.stop();
  });
  const home = (site: string) => join(folder, `home-${site}`);
  const lines: string[] = [];
  for (const site of sites) {
    mkdirSync(home(site), { recursive: true });
    const { stdout } = await suffice('key', '--home', home(site));
    lines.push(`${site} ${stdout.trim()}`);
  }
  const roster = join(folder, 'roster.txt');
  writeFileSync(roster, `# sites and their keys\n${lines.join('\n')}\n`);
  return {
    folder,
    served,
    helper,
    sites,
    home,
    async create(study, name, ...flags) {
      const path = join(folder, `${name}.json`);
      const made = await suffice(
        ...['study', 'secure', study, '--helper', helper.address, '--roster', roster],
        ...['--minimum-sites', '3', '--out', path, ...flags],
      );
      if (made.code !== 0) throw new Error(made.stderr);
      const links = join(folder, name);
      const created = await suffice(
        ...['study', 'create', path, '--coordinator', served.address, '--out', links],
        ...['--token-file', served.operatorTokenFile!],
      );
      if (created.code !== 0) throw new Error(created.stderr);
      return links;
    },
    join: (links, site, file = penguins(`${site}.csv`)) =>
      suffice(
        ...['join', join(links, `${site}.invitation`), file],
        ...['--yes', '--quiet', '--acknowledge', 'R6,R7,none', '--home', home(site)],
      ),
  };
}

/** A study file in a folder. */
export function studyFile(folder: string, name: string, study: Study): string {
  const path = join(folder, `${name}.study.json`);
  writeFileSync(path, JSON.stringify(study));
  return path;
}

/** Every `of`th row of the penguins, from `place` on, as a file. */
export function partOfPenguins(path: string, place: number, of: number): string {
  const [head, ...rows] = ['biscoe', 'dream', 'torgersen'].flatMap((island, k) => {
    const lines = readFileSync(penguins(`${island}.csv`), 'utf8')
      .trimEnd()
      .split('\n');
    return k === 0 ? lines : lines.slice(1);
  });
  writeFileSync(path, [head, ...rows.filter((_, k) => k % of === place), ''].join('\n'));
  return path;
}
