import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { secureSetting, studyFile } from './secure-setting.ts';
import { hasSharedData } from './shared-data.ts';
import { startSuffice } from './site-process.ts';
import { type Columns, csvOf, heartStudy, heartTables } from './vertical-heart.ts';
import { type Fate, watchingProxy } from './watching-proxy.ts';

const folder = temporaryFolder();

/** Where a process of the hospital dies: at its own request for a step, before or after the coordinator has carried it out. */
const deaths = (['keys', 'points', 'doubled', 'count', 'columns'] as const).flatMap((step) =>
  (['cut-before', 'cut-after'] as const).map((fate) => ({ method: 'POST', step, fate })),
);
const readings = (['points', 'doubled', 'links', 'columns'] as const).map((step) => ({
  ...{ method: 'GET', step },
  fate: 'pass' as const,
}));
const sending = (['cut-before', 'cut-after'] as const).map((fate) => ({
  ...{ method: 'POST', step: 'contributions', fate },
}));

describe.skipIf(!hasSharedData)('a party that links by points and is killed with -9', async () => {
  const setting = await secureSetting(folder, ['hospital', 'registry']);
  const tables = heartTables();
  const few = (columns: Columns): Columns => {
    const kept = columns.nhs_number.map((id) => String(id) < '943 471400');
    return Object.fromEntries(
      Object.entries(columns).map(([name, cells]) => [name, cells.filter((_, r) => kept[r])]),
    );
  };
  const write = (name: string, columns: Columns) => {
    const path = join(folder, name);
    writeFileSync(path, csvOf(few(columns)));
    return path;
  };
  const files = {
    hospital: write('hospital.csv', tables.hospital),
    registry: write('registry.csv', tables.registry),
  };
  const joined = write('joined.csv', tables.joined);
  const partition = {
    ...heartStudy.partition!,
    ...{ linkage: 'ecdh', parties: { hospital: ['age'], registry: ['num'] } },
  };

  it.each([...deaths, ...readings, ...sending].map((death, k) => ({ ...death, k })))(
    'at $method of $step ($fate) goes on with the same bytes, to the total of the joined table',
    async ({ method, step, fate, k }) => {
      const name = `kill-${k}`;
      const study = { ...heartStudy, name, formula: 'num ~ age', partition } as TableStudy;
      const path = join(folder, `${name}.json`);
      const links = join(folder, name);
      for (const args of [
        [
          ...['study', 'secure', studyFile(folder, name, study), '--out', path],
          ...['--helper', setting.helper.address, '--roster', join(folder, 'roster.txt')],
        ],
        [
          ...['study', 'create', path, '--coordinator', setting.served.address, '--out', links],
          ...['--token-file', setting.served.operatorTokenFile!],
        ],
      ]) {
        const { code, stderr } = await suffice(...args);
        expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      }
      let die = () => {};
      let deadly = true;
      const proxy = await watchingProxy(setting.served.address, (request): Fate => {
        const isParties = request.path.includes('/parties');
        const asked = isParties
          ? request.method === 'POST'
            ? JSON.parse(request.body.toString()).step
            : request.path.replace(/.*\/parties\/([^/]*).*/, '$1')
          : request.path.replace(/.*\//, '');
        if (!deadly || request.method !== method || asked !== step) return 'pass';
        deadly = false;
        die();
        return fate;
      });
      const text = readFileSync(join(links, 'hospital.invitation'), 'utf8');
      const invitation = join(links, 'hospital.watched');
      writeFileSync(
        invitation,
        linkText({ ...(parseLink(text) as Link), coordinator: proxy.address }),
      );
      // Each study has a copy of the keys, with an empty ledger: no release before it counts.
      const home = (party: string) => join(links, `home-${party}`);
      for (const party of ['hospital', 'registry']) {
        cpSync(setting.home(party), home(party), { recursive: true });
      }
      const args = (from: string, party: 'hospital' | 'registry') => [
        ...['join', from, files[party], '--yes', '--quiet', '--acknowledge', 'R6,R7'],
        ...['--home', home(party)],
      ];
      const other = suffice(...args(join(links, 'registry.invitation'), 'registry'));
      const first = startSuffice(args(invitation, 'hospital'));
      die = () => first.child.kill('SIGKILL');
      const { stderr: said } = await first.outcome;
      expect([first.child.signalCode, said]).toEqual(['SIGKILL', expect.any(String)]);
      const again = await startSuffice(args(invitation, 'hospital')).outcome;
      expect([again.code, again.code === 0 ? '' : again.stderr]).toEqual([0, '']);
      expect((await other).code).toBe(0);

      // Whatever was sent twice was the same, byte by byte: no second masking of anything ever left.
      const bodies = new Map<string, Set<string>>();
      for (const { method: how, path: at, body } of proxy.received) {
        if (how !== 'POST') continue;
        const parsed = at.includes('/parties') ? JSON.parse(body.toString()) : { step: at };
        const place = `${parsed.step} ${parsed.to} ${parsed.part}`;
        const digest = createHash('sha256').update(body).digest('hex');
        bodies.set(place, (bodies.get(place) ?? new Set()).add(digest));
      }
      expect(bodies.size).toBeGreaterThanOrEqual(6);
      for (const [place, digests] of bodies) expect([place, digests.size]).toEqual([place, 1]);

      await setting.served.coordinator.runDueWork();
      const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
      const pooled = await suffice('fit', path, joined, '--json');
      expect(JSON.parse(stdout).digest).toBe(JSON.parse(pooled.stdout).digest);
    },
    60_000,
  );
});
