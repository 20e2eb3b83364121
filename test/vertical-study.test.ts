import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { studyClient } from '../src/protocol/client.ts';
import { type Link, parseLink } from '../src/protocol/link.ts';
import type { TableStudy } from '../src/study/study.ts';
import { toBase64 } from '../src/text/base64.ts';
import { messageBytes, partyKeysMessage } from '../src/vertical/exchange-messages.ts';
import { newPartyState } from '../src/vertical/party-state.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { eventually } from './eventually.ts';
import { secureSetting, studyFile } from './secure-setting.ts';
import { hasSharedData } from './shared-data.ts';
import { startSuffice } from './site-process.ts';
import { type Columns, csvOf, heartStudy, heartTables } from './vertical-heart.ts';
import { watchingProxy } from './watching-proxy.ts';

describe.skipIf(!hasSharedData)(
  'parties with different columns, a coordinator and a helper',
  async () => {
    const folder = temporaryFolder();
    const setting = await secureSetting(folder, ['hospital', 'registry']);
    const { joined, hospital, registry } = heartTables();
    const write = (name: string, columns: Columns) => {
      const path = join(folder, name);
      writeFileSync(path, csvOf(columns));
      return path;
    };
    const files = {
      hospital: write('hospital.csv', hospital),
      registry: write('registry.csv', registry),
    };

    /** Puts a study on the coordinator; returns the folder of its links. */
    const create = async (
      study: TableStudy,
      name: string,
      helper: string = setting.helper.address,
    ) => {
      const path = join(folder, `${name}.json`);
      const secured = await suffice(
        ...['study', 'secure', studyFile(folder, name, study), '--out', path],
        ...['--helper', helper, '--roster', join(folder, 'roster.txt')],
      );
      if (secured.code !== 0) throw new Error(secured.stderr);
      const links = join(folder, name);
      const created = await suffice(
        ...['study', 'create', path, '--coordinator', setting.served.address, '--out', links],
        ...['--token-file', setting.served.operatorTokenFile!],
      );
      if (created.code !== 0) throw new Error(created.stderr);
      return links;
    };
    it('the check does not say that one party is enough', async () => {
      const file = studyFile(folder, 'checked', heartStudy);
      const { code, stdout } = await suffice('study', 'check', file);
      expect([code, stdout]).toEqual([0, expect.stringContaining('The coordinator learns only')]);
      expect(stdout).not.toContain('one site is enough');
    });

    const party = (links: string, name: string, file: string, ...flags: readonly string[]) =>
      suffice(
        ...['join', join(links, `${name}.invitation`), file, '--home', setting.home(name)],
        ...(flags.length === 0 ? ['--yes', '--json', '--acknowledge', 'R6,R7'] : flags),
      );
    const mail = async () =>
      setting.served.coordinator === undefined
        ? []
        : (await suffice('ledger', '--home', setting.home('hospital'), '--json')).stdout;

    it('--dry-run shows what would leave and who learns what, and sends nothing', async () => {
      const links = await create({ ...heartStudy, name: 'dry' }, 'dry');
      const { code, stdout, stderr } = await party(links, 'hospital', files.hospital, '--dry-run');
      expect(code).toBe(0);
      const text = (stdout + stderr).replaceAll(/\s+/g, ' ');
      for (const said of [
        `a token of each of your ${hospital.age.length} complete rows`,
        'each number minus a random one',
        'Each party learns which of its own people all parties have.',
        'nothing was sent (--dry-run)',
      ]) {
        expect(text).toContain(said);
      }
      const { stdout: log } = await suffice(
        'audit-log',
        'show',
        join(links, 'admin.link'),
        '--json',
      );
      expect(log).toContain('created');
      expect(log).not.toContain('party-message');
      expect(await mail()).not.toContain('sha256:');

      const age = hospital.age.map((cell, r) => (r === 4 ? '' : cell));
      const holed = write('holed.csv', { ...hospital, age });
      const less = await party(links, 'hospital', holed, '--dry-run');
      const [read] = (less.stdout + less.stderr).split('What I read')[1].split('What would be');
      const n = age.length;
      expect(read).toContain(
        `holed.csv: ${n} rows\n  used       ${n - 1}\n  left out   1 (missing cells: age 1)\n`,
      );
      expect(read).toContain('columns    over the rows used');
    });

    it('give the digest of the joined table; each keeps a receipt and a line in its ledger', async () => {
      const links = await create(heartStudy, 'heart');
      const both = await Promise.all([
        party(links, 'hospital', files.hospital),
        party(links, 'registry', files.registry),
      ]);
      for (const { code, stderr } of both)
        expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      expect(both[0].stderr).toContain(`${joined.age.length} people are linked`);
      await setting.served.coordinator.runDueWork();
      const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
      const report = JSON.parse(stdout);
      const pooled = await suffice(
        ...['fit', join(folder, 'heart.json'), write('joined.csv', joined), '--json'],
      );
      const whole = JSON.parse(pooled.stdout);
      expect(report.n).toBe(joined.age.length);
      expect(report.digest).toBe(whole.digest);
      expect(report.terms).toEqual(whole.terms);
      for (const { stdout: said } of both) {
        const { receipt, rows } = JSON.parse(said);
        expect(rows).toBe(joined.age.length);
        expect(readFileSync(receipt, 'utf8')).toContain('sha256:');
      }
      const { stdout: ledger } = await suffice(
        'ledger',
        '--home',
        setting.home('hospital'),
        '--json',
      );
      expect(ledger).toContain(JSON.parse(both[0].stdout).digest);
      const split = await suffice(
        ...['fit', join(folder, 'heart.json'), '--json'],
        ...['--party', `hospital=${files.hospital}`, '--party', `registry=${files.registry}`],
      );
      expect(JSON.parse(split.stdout).digest).toBe(whole.digest);
    });

    it('link by points as by tokens: the helper gets a number and a digest alone', async () => {
      const helper = await watchingProxy(setting.helper.address, () => 'pass');
      const partition = { ...heartStudy.partition!, linkage: 'ecdh' } as const;
      const formula = 'num ~ age + trestbps + thalach';
      const parties = { hospital: ['age', 'trestbps'], registry: ['thalach', 'num'] };
      const study = {
        ...{ ...heartStudy, name: 'points', formula },
        partition: { ...partition, parties },
      } as TableStudy;
      const links = await create(study, 'points', helper.address);
      const some = (columns: Columns) => {
        const kept = columns.nhs_number.map((id) => String(id) < '943 471450');
        return Object.fromEntries(
          Object.entries(columns).map(([name, cells]) => [name, cells.filter((_, r) => kept[r])]),
        );
      };
      const rows = [hospital, registry, joined].map(some);
      const paths = rows.map((columns, k) => write(`points-${k}.csv`, columns));
      expect(rows[2].age.length).toBeGreaterThan(40);
      const shown = await party(links, 'hospital', paths[0], '--dry-run');
      const text = (shown.stdout + shown.stderr).replaceAll(/\s+/g, ' ');
      expect(text).toContain(`a point of each of your ${rows[0].age.length} complete rows`);
      expect(text).toContain('registry learns it before anybody can stop it');
      const both = await Promise.all([
        party(links, 'hospital', paths[0]),
        party(links, 'registry', paths[1]),
      ]);
      for (const { code, stderr } of both)
        expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      const asked = helper.received.filter(({ path }) => path.endsWith('/links'));
      expect(asked.length).toBeGreaterThan(0);
      for (const { body } of asked) {
        const { tokens } = JSON.parse(body.toString());
        expect(tokens.map(({ schema }: { schema: string }) => schema)).toEqual(
          Array(2).fill('suffice/party-count@1'),
        );
        // A number, a digest and a seal: not 16 bytes a row.
        for (const one of tokens) expect(one.body.length).toBeLessThan(200);
      }
      const { stdout: log } = await suffice(
        'audit-log',
        'show',
        join(links, 'admin.link'),
        '--json',
      );
      expect(log).not.toContain('"tokens"');
      await setting.served.coordinator.runDueWork();
      const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
      const pooled = await suffice('fit', join(folder, 'points.json'), paths[2], '--json');
      expect(JSON.parse(stdout).digest).toBe(JSON.parse(pooled.stdout).digest);
    });

    it('a party that is killed with -9 while it waits goes on with the same bytes; with another file it is refused', async () => {
      const links = await create({ ...heartStudy, name: 'killed' }, 'killed');
      const args = ['join', join(links, 'hospital.invitation'), files.hospital, '--yes'];
      const flags = ['--acknowledge', 'R6,R7', '--home', setting.home('hospital')];
      const killed = startSuffice([...args, ...flags]);
      const log = async () =>
        (await suffice('audit-log', 'show', join(links, 'admin.link'), '--json')).stdout;
      // The registry has sent its key and stopped, so the hospital sends its tokens and waits.
      const store = await openSiteFolder(setting.home('registry'), () => {});
      const text = readFileSync(join(links, 'registry.invitation'), 'utf8');
      const client = studyClient(parseLink(text) as Link);
      const { digest } = await client.view();
      const state = newPartyState(digest, 'registry');
      await store.keepMasks!(digest, 'registry', JSON.stringify(state));
      const body = toBase64(messageBytes(partyKeysMessage(state, await store.key())));
      const part = { step: 'keys', to: '', part: 0, parts: 1, body } as const;
      await client.sendParty({ schema: 'suffice/party-part@1', ...part });
      await eventually(async () => expect(await log()).toContain('"tokens"'));
      killed.child.kill('SIGKILL');
      await killed.outcome;
      const changed = {
        ...hospital,
        age: hospital.age.map((age, r) => (r === 5 ? 61 : age)),
        nhs_number: hospital.nhs_number.map((id, r) => (r === 5 ? 'x' : id)),
      };
      const before = (await log()).split('party-message').length;
      const refused = await party(links, 'hospital', write('changed.csv', changed));
      expect(refused.stdout + refused.stderr).toMatch(/the file has changed since this party sent/);
      expect((await log()).split('party-message').length).toBe(before);
      const both = await Promise.all([
        party(links, 'hospital', files.hospital),
        party(links, 'registry', files.registry),
      ]);
      expect(both.map(({ code }) => code)).toEqual([0, 0]);
      await setting.served.coordinator.runDueWork();
      const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
      const pooled = await suffice(
        ...['fit', join(folder, 'killed.json'), write('joined.csv', joined), '--json'],
      );
      expect(JSON.parse(stdout).digest).toBe(JSON.parse(pooled.stdout).digest);
    });

    it('refuse a file with a key twice, and one without a column of the party; nothing is sent', async () => {
      const links = await create({ ...heartStudy, name: 'twice' }, 'twice');
      const twice = {
        ...hospital,
        nhs_number: hospital.nhs_number.map((id, r) => (r === 4 ? hospital.nhs_number[3] : id)),
      };
      const refused = await party(links, 'hospital', write('twice.csv', twice));
      expect(refused.code).toBe(3);
      expect(refused.stdout + refused.stderr).toMatch(
        /2 rows share their key \(nhs_number\).*nothing was sent/,
      );
      const wrong = await party(links, 'hospital', files.registry);
      expect(wrong.code).toBe(3);
      expect(wrong.stdout + wrong.stderr).toMatch(/lacks columns .*age/);
      const { stdout: log } = await suffice(
        'audit-log',
        'show',
        join(links, 'admin.link'),
        '--json',
      );
      expect(log).toContain('created');
      expect(log).not.toContain('party-message');
    });

    it('are not linked where they have too few people in common: no column leaves, nothing is contributed', async () => {
      const links = await create({ ...heartStudy, name: 'few' }, 'few');
      const strangers = {
        ...registry,
        nhs_number: registry.nhs_number.map((id, r) => (r < 2 ? id : `x${r}`)),
      };
      const outcomes = await Promise.all([
        party(links, 'hospital', files.hospital),
        party(links, 'registry', write('strangers.csv', strangers)),
      ]);
      for (const { code, stdout, stderr } of outcomes) {
        expect(code).toBe(5);
        expect(stdout + stderr).toMatch(/fewer than 10 people in common/);
      }
      const { stdout: log } = await suffice(
        'audit-log',
        'show',
        join(links, 'admin.link'),
        '--json',
      );
      const events = JSON.parse(log).entries.map(
        ({ event, detail }: { event: string; detail: { step?: string } }) => detail.step ?? event,
      );
      expect(events).toContain('tokens');
      expect(events).not.toContain('columns');
      expect(events).not.toContain('contributed');
    });
  },
);
