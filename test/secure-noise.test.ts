import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { maskOf, seedIn } from '../src/aggregation/two-aggregators.ts';
import { type Agreement, agreement, contribution } from '../src/federate.ts';
import { createHelper, type Helper } from '../src/helper/helper.ts';
import { helperKeys } from '../src/helper/helper-keys.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type { SignedSlip } from '../src/protocol/helper-messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution, slipOf } from '../src/protocol/signed-contribution.ts';
import { entriesOf, wordsOf } from '../src/statistic/layout.ts';
import { ringEntry } from '../src/statistic/ring.ts';
import { statistics, sumStatistics, wordsFromBytes } from '../src/statistic/statistic.ts';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { fromBase64 } from '../src/text/base64.ts';
import { fromBase64url } from '../src/text/base64url.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { studyOver, sumsOver } from './fusion-rows.ts';
import { penguins, secureSetting, studyFile } from './secure-setting.ts';

const folder = temporaryFolder();
const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const keys = new Map(names.map((name) => [name, createSigningKey()]));
const store = await openSqliteStore(join(folder, 'helper.db'));
const helper = await createHelper({ store });
const setting = await secureSetting(folder);

const terms: PrivacyTerms = { epsilon: 2, delta: 1e-6, unit: 'row', placement: 'aggregators' };

function agreedWith(privacy: Partial<PrivacyTerms>, name: string): Agreement {
  const { keys: own, signingKey } = helper.description;
  return agreement({
    ...studyOver({ formula: 'y ~ x + z', name, privacy: { ...terms, ...privacy } }),
    aggregation: {
      kind: 'two-aggregators',
      helper: { url: 'http://127.0.0.1:7701', key: own.x25519, signingKey },
      roster: Object.fromEntries(names.map((one) => [one, keys.get(one)!.key])),
      minimumSites: 3,
    },
  });
}

/** What the coordinator gives to the helper. */
const slipsTo = (agreed: Agreement): SignedSlip[] =>
  names.map((site, k) => {
    const rows = Array.from({ length: 20 }, (_, r) => 20 * k + r);
    const sent = contribution(agreed, site, sumsOver(agreed, rows));
    const { study: _, ...slip } = slipOf(signContribution(sent, keys.get(site)!));
    return slip as SignedSlip;
  });

async function sumBy(by: Helper, { study, layout }: Agreement, contributions: SignedSlip[]) {
  const answer = await by.sum({ schema: 'suffice/sum-request@1', study, contributions });
  if (answer.schema !== 'suffice/sum@1') throw new Error('no sum');
  const [{ sum }] = answer.sums;
  return { layout, values: wordsFromBytes(fromBase64(sum)) };
}

/** What the helper has added to the sum of the masks. */
async function noiseIn({ digest: study, layout }: Agreement, slips: SignedSlip[], by = helper) {
  const { seals } = await helperKeys(store);
  const masks = slips.map((slip) => {
    const seal = fromBase64url(slip.sealed)!;
    const seed = seedIn('x25519', seals.x25519, layout, { ...slip, study }, seal)!;
    return { layout, values: maskOf(layout, seed) };
  });
  const sum = await sumBy(by, agreements.get(study)!, slips);
  return statistics(layout).subtract(sum, sumStatistics(layout, masks));
}

const agreements = new Map<string, Agreement>();
function known(agreed: Agreement): Agreement {
  agreements.set(agreed.digest, agreed);
  return agreed;
}

const recorded = async () => [
  await store.db.selectFrom('helper_answers').selectAll().execute(),
  await store.db.selectFrom('helper_seeds').selectAll().execute(),
];

describe('the noise of a helper', () => {
  it('is the same for the same set, also after a restart, and its budget is for one set', async () => {
    const agreed = known(agreedWith({}, 'one answer'));
    const slips = slipsTo(agreed);
    const noise = await noiseIn(agreed, slips);
    const { values, layout } = noise;
    for (let k = 0; k < entriesOf(layout); k++) {
      expect(ringEntry(values, wordsOf(layout), k)).not.toBe(0n);
    }
    expect(await noiseIn(agreed, slips.toReversed())).toEqual(noise);
    expect(await noiseIn(agreed, slips, await createHelper({ store }))).toEqual(noise);
    const before = await recorded();
    await expect(sumBy(helper, agreed, slips.slice(0, 3))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(
        'answered: the privacy budget of the study is for one answer',
      ),
    });
    expect(await recorded()).toEqual(before);
  });

  it('is another one for each of the sets that share a budget', async () => {
    const agreed = known(agreedWith({ releases: 2 }, 'two answers'));
    const slips = slipsTo(agreed);
    const [all, half] = [await noiseIn(agreed, slips), await noiseIn(agreed, slips.slice(0, 3))];
    expect(all).not.toEqual(half);
    await expect(sumBy(helper, agreed, slips.slice(3))).rejects.toMatchObject({
      message: expect.stringContaining('for 2 answers'),
    });
    expect(await noiseIn(agreed, slips.slice(0, 3))).toEqual(half);
  });

  it.each(['central', 'local'] as const)('is none where noise is %s', async (placement) => {
    const agreed = known(agreedWith({ placement }, placement));
    const noise = await noiseIn(agreed, slipsTo(agreed));
    expect(noise.values.every((word) => word === 0)).toBe(true);
  });
});

describe('a study with noise inside, by the command line', () => {
  const open: TableStudy = JSON.parse(readFileSync(penguins('study.json'), 'utf8'));

  it('is resolved by both parties, and says so', async () => {
    const path = studyFile(folder, 'private', {
      ...open,
      privacy: { epsilon: 8, delta: 1e-6, unit: 'row' },
    });
    const links = await setting.create(path, 'inside', '--placement', 'aggregators');
    for (const site of setting.sites) {
      const { code, stdout, stderr } = await setting.join(links, site);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).not.toMatch(/coordinator sees your statistic/);
    }
    await setting.served.coordinator.runDueWork();
    const admin = join(links, 'admin.link');
    const { stdout } = await suffice('report', admin, '--json');
    const { privacy, digest } = JSON.parse(stdout);
    expect(privacy).toMatchObject({ placement: 'aggregators', noises: 2 });
    expect((await suffice('report', admin)).stdout).toContain(
      'by the helper and by the coordinator',
    );
    // One process with all rows adds two noises as well, and others.
    const files = setting.sites.map((site) => penguins(`${site}.csv`));
    const fit = await suffice('fit', join(folder, 'inside.json'), ...files, '--json', '--force');
    const alone = JSON.parse(fit.stdout);
    expect(alone.privacy).toMatchObject({ noises: 2, sigma: privacy.sigma });
    expect(alone.digest).not.toBe(digest);
  });

  it('needs a private study', async () => {
    const out = join(folder, 'refused.json');
    const { code, stderr } = await suffice(
      ...['study', 'secure', penguins('study.json'), '--helper', setting.helper.address],
      ...['--roster', join(folder, 'roster.txt'), '--placement', 'aggregators', '--out', out],
    );
    expect(code).toBe(3);
    expect(stderr).toContain('this one has no noise');
    expect(() => readFileSync(out)).toThrow('ENOENT');
  });
});
