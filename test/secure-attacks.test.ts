import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import type { Store } from '../src/coordinator/store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type { SignedSlip } from '../src/protocol/helper-messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { type Contribution, encodeContribution } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { temporaryFolder } from './cli.ts';
import { createClock, operator, rows, table } from './coordinator-study.ts';
import { agreement, contribution } from './linear.ts';
import {
  filesOf,
  type SecureParties,
  secureParties,
  secureStudy,
  siteKeys,
  testHelper,
} from './secure-parties.ts';
import { summaryOf } from './tables.ts';

const folder = temporaryFolder();
let stores = 0;
const newStore = (): Promise<Store> => openSqliteStore(join(folder, `${++stores}.db`));
const newParties = async (
  names: readonly string[],
  options?: Parameters<typeof secureParties>[2],
): Promise<SecureParties> =>
  secureParties({ coordinator: await newStore(), helper: await newStore() }, names, options);

const NOTHING = { sets: 0, seeds: 0 };
const abc = ['a', 'b', 'c'];

/** Random bytes where a sealed seed should be. */
const garbage = (made: Contribution): Contribution => ({
  ...made,
  sealed: toBase64url(crypto.getRandomValues(new Uint8Array(80))),
});

/** The same contribution, with a mask of a seed that is known. */
const seeded =
  ({ agreed }: SecureParties, seed: number, of: readonly number[] = rows(0, 8)) =>
  (made: Contribution): Contribution => {
    const { statistic } = summaryOf(agreed, table, of);
    const [own, other] = agreed.aggregation.split(statistic, made, seededWords(seed));
    if (!('values' in own && 'sealed' in other)) throw new Error('two shares were expected');
    return {
      ...made,
      statistic: { layout: agreed.layout, values: own.values },
      sealed: toBase64url(other.sealed),
    };
  };

const withTerms = (study: TableStudy, terms: object): TableStudy => ({
  ...study,
  aggregation: { ...study.aggregation, ...terms } as NonNullable<TableStudy['aggregation']>,
});

describe('a helper opens nothing', async () => {
  const parties = await newParties(['a', 'b', 'c', 'd', 'e'], { minimumSites: 4 });
  const { sites, study, agreed, slip } = parties;
  const honest = () => filesOf(parties, 'a', 'b', 'c', 'd').map(slip);
  const eve = createSigningKey();
  /** A contribution of Eve's under any name, sealed to the helper. */
  const eves = (site: string): SignedSlip => {
    const made = contribution(agreed, site, summaryOf(agreed, table, rows(0, 3)));
    return slip(encodeContribution(signContribution(made, eve)));
  };
  const other = await newParties(['a', 'b', 'c', 'd', 'e']);
  const { description } = (await testHelper(await newStore())).helper;

  const cases: readonly [
    name: string,
    asked: () => readonly SignedSlip[],
    expected: object,
    about?: TableStudy,
  ][] = [
    [
      'a site that is not on the roster',
      () => [...honest(), eves('eve')],
      { unusable: [{ site: 'eve', why: expect.stringMatching(/not on the roster/) }] },
    ],
    [
      'a key that is not the roster’s',
      () => [...honest(), eves('e')],
      { unusable: [{ site: 'e', why: expect.stringMatching(/another key/) }] },
    ],
    [
      'a victim among fake sites',
      () => [honest()[0], eves('b'), eves('c'), eves('d')],
      { unusable: [{ site: 'b' }, { site: 'c' }, { site: 'd' }] },
    ],
    [
      'other numbers than those that were signed',
      () => honest().map((one, k) => (k > 0 ? one : { ...one, data: honest()[1].data })),
      { unusable: [{ site: 'a', why: expect.stringMatching(/signature/) }] },
    ],
    [
      'garbage instead of a seal',
      () => [...honest(), slip(sites.e.forged(garbage))],
      { unusable: [{ site: 'e', why: expect.stringMatching(/cannot be opened/) }] },
    ],
    [
      'the seal of an earlier contribution',
      () => {
        const first = honest()[0];
        const turn = { sequence: 2, mode: 'add' } as const;
        const second = slip(
          sites.a.forged((made) => ({ ...made, sealed: first.sealed, nonce: first.nonce }), turn),
        );
        return [...honest(), second];
      },
      { unusable: [{ site: 'a', sequence: 2, why: expect.stringMatching(/cannot be opened/) }] },
    ],
    [
      'the seal of another site',
      () => {
        const { sealed, nonce } = honest()[0];
        return [...honest(), slip(sites.e.forged((made) => ({ ...made, sealed, nonce })))];
      },
      { unusable: [{ site: 'e', why: expect.stringMatching(/cannot be opened/) }] },
    ],
    [
      'a seal with another report id',
      () => {
        const nonce = toBase64url(new Uint8Array(32));
        return [...honest(), slip(sites.e.forged((made) => ({ ...made, nonce })))];
      },
      { unusable: [{ site: 'e', why: expect.stringMatching(/cannot be opened/) }] },
    ],
    [
      'contributions to another study',
      () => filesOf(other, 'a', 'b', 'c', 'd').map(other.slip),
      { unusable: [{ site: 'a' }, { site: 'b' }, { site: 'c' }, { site: 'd' }] },
    ],
    [
      'a study whose minimum was lowered',
      () => honest().slice(0, 3),
      { unusable: [{ site: 'a' }, { site: 'b' }, { site: 'c' }] },
      withTerms(study, { minimumSites: 3 }),
    ],
    [
      'a roster that was shown to one site only',
      honest,
      { unusable: [{ site: 'a' }, { site: 'b' }, { site: 'c' }, { site: 'd' }] },
      withTerms(study, {
        roster: Object.fromEntries(
          ['a', 'b', 'c', 'd', 'e'].map((name) => [
            name,
            name === 'e' ? eve.key : sites[name].key.key,
          ]),
        ),
      }),
    ],
    [
      'a study with an earlier deadline',
      honest,
      { unusable: [{ site: 'a' }, { site: 'b' }, { site: 'c' }, { site: 'd' }] },
      { ...study, quorum: { sites: 1, deadline: '2020-01-01T00:00:00Z' } },
    ],
  ];

  it.each(cases)('about %s', async (_, asked, expected, about) => {
    const answer = await parties.ask(asked(), about);
    expect(answer).toMatchObject({ schema: 'suffice/unusable@1', ...expected });
    expect(answer).not.toHaveProperty('sum');
    expect(await parties.recorded()).toEqual(NOTHING);
  });

  it.each<[string, () => readonly SignedSlip[], string, RegExp, TableStudy?]>([
    [
      'too few sites',
      () => honest().slice(1),
      'conflict',
      /^too few: 3 sites have .* 4 are needed/,
    ],
    [
      'several contributions of too few sites',
      () => {
        const turn = { sequence: 2, mode: 'add' } as const;
        return [...honest().slice(1), slip(sites.b.forged((made) => made, turn))];
      },
      'conflict',
      /^too few: 3 sites/,
    ],
    [
      'a contribution that is listed twice',
      () => [...honest(), honest()[0]],
      'bad-request',
      /listed twice/,
    ],
    [
      'a study of another helper',
      honest,
      'not-allowed',
      /does not name this helper/,
      withTerms(study, {
        helper: {
          url: 'http://127.0.0.1:9',
          key: description.keys.x25519,
          signingKey: description.signingKey,
        },
      }),
    ],
  ])('about %s, and says so', async (_, asked, code, problem, about) => {
    await expect(parties.ask(asked(), about)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(problem),
    });
    expect(await parties.recorded()).toEqual(NOTHING);
  });

  it('for sites that its people do not know', async () => {
    const known = siteKeys(abc);
    const keys = new Set(Object.values(known).map(({ key }) => key));
    const own = await testHelper(await newStore(), { knownKeys: keys });
    const victim = secureStudy(own.helper, { ...known, c: eve });
    const request = { schema: 'suffice/sum-request@1', study: victim, contributions: [] } as const;
    await expect(own.helper.sum(request)).rejects.toMatchObject({
      code: 'not-allowed',
      message: 'the helper does not know the key of c',
    });
    expect(await own.recorded()).toEqual(NOTHING);
  });
});

describe('a helper answers once', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const parties = await newParties(names);
  const { sites, slip, agreed } = parties;
  const all = Object.fromEntries(names.map((name) => [name, slip(filesOf(parties, name)[0])]));
  const of = (text: string) => [...text].map((name) => all[name]);
  const first = await parties.ask(of('abcd'));

  it('the same set gets the same answer, in any order', async () => {
    expect(await parties.ask(of('dbca'))).toEqual(first);
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 4 });
  });

  it.each<[string, readonly SignedSlip[], RegExp]>([
    ['S without one', of('abc'), /group of 1 site; the study asks for 3/],
    ['S with one more', of('abcde'), /group of 1 site/],
    ['S with two more', of('abcdef'), /group of 2 sites/],
    ['one exchanged', of('abce'), /group of 1 site/],
    [
      'rows that a site has added',
      [...of('abcd'), slip(sites.a.forged((made) => made, { sequence: 2, mode: 'add' }))],
      /earlier answer has other contributions of a/,
    ],
    [
      'rows that a site has replaced',
      [...of('bcd'), slip(sites.a.forged((made) => made, { sequence: 2, mode: 'replace' }))],
      /earlier answer has other contributions of a/,
    ],
    [
      'the same number, made again',
      [...of('bcd'), slip(filesOf(parties, 'a')[0])],
      /earlier answer has other contributions of a/,
    ],
  ])('%s is refused', async (_, asked, problem) => {
    await expect(parties.ask(asked)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(problem),
    });
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 4 });
  });

  it('the same numbers with the seed of another mask are another set', async () => {
    const own = await newParties(abc);
    const rest = filesOf(own, 'b', 'c').map(own.slip);
    let first: Contribution | undefined;
    const slip = own.slip(
      own.sites.a.forged((made) => {
        first = made;
        return made;
      }),
    );
    await own.ask([slip, ...rest]);
    // The site works together with the coordinator, and signs its numbers again with another seed.
    const [, other] = own.agreed.aggregation.split(first!.statistic, first!);
    const sealed = 'sealed' in other ? toBase64url(other.sealed) : '';
    const twin = own.slip(own.sites.a.forged(() => ({ ...first!, sealed })));
    expect(twin.data).toBe(slip.data);
    await expect(own.ask([twin, ...rest])).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/other contributions of a/),
    });
    expect(await own.recorded()).toEqual({ sets: 1, seeds: 3 });
  });

  it('sets that tell apart large groups only are allowed, and each has a statement', async () => {
    const more = await parties.ask(of('abcdefg'));
    expect(more).toMatchObject({ statement: { contributions: 7 } });
    expect(await parties.ask(of('efg'))).toMatchObject({ statement: { contributions: 3 } });
    const { statements } = await parties.helper.statements(agreed.digest);
    expect(statements.map(({ sites }) => sites.join(''))).toEqual(['abcd', 'abcdefg', 'efg']);
    await expect(parties.ask(of('abe'))).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('sums of groups of sites', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const parties = await newParties(names, { folds: 2 });
  const all = filesOf(parties, ...names).map(parties.slip);

  it('are refused if one of the groups has too few sites', async () => {
    await expect(parties.ask(all.slice(1))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^too few: 2 sites/),
    });
    const { groupOf } = parties.agreed.aggregation.grouping!;
    await expect(parties.ask(all.filter(({ site }) => groupOf(site) === 0))).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^too few: 0 sites/),
    });
    expect(await parties.recorded()).toEqual(NOTHING);
  });

  it('are of groups that share no site, and are answered once', async () => {
    const answer = await parties.ask(all);
    expect(answer).toMatchObject({ sums: [{ contributions: 3 }, { contributions: 3 }] });
    await expect(parties.ask(all.slice(1))).rejects.toMatchObject({
      message: expect.stringMatching(/^answered: .* group of/),
    });
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 6 });
  });

  it('cannot be asked for by a study with other groups', async () => {
    const other = withTerms(parties.study, { folds: undefined });
    const answer = await parties.ask(all, other);
    expect(answer).toMatchObject({ unusable: all.map(({ site }) => ({ site })) });
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 6 });
  });
});

it('the two parties cannot share a store', async () => {
  const { coordinatorStore, store } = await newParties(abc);
  const problem = /needs its own/;
  await expect(testHelper(coordinatorStore)).rejects.toThrow(problem);
  await expect(createCoordinator({ store })).rejects.toThrow(problem);
  const keys = await coordinatorStore.db.selectFrom('settings').select('name').execute();
  expect(keys.filter(({ name }) => name.startsWith('helper_'))).toEqual([]);
});

describe('a seed that is used twice', () => {
  it('in one study: the second contribution is named, and the first one opens', async () => {
    const parties = await newParties(abc);
    const { sites, slip } = parties;
    const same = seeded(parties, 5);
    const first = slip(sites.a.forged(same));
    const second = slip(sites.a.forged(same, { sequence: 2, mode: 'add' }));
    const rest = filesOf(parties, 'b', 'c').map(slip);
    expect(await parties.ask([first, second, ...rest])).toMatchObject({
      unusable: [{ site: 'a', sequence: 2, why: expect.stringMatching(/seed .* used/) }],
    });
    expect(await parties.recorded()).toEqual(NOTHING);
    expect(await parties.ask([first, ...rest])).toMatchObject({ schema: 'suffice/sum@1' });
  });

  it('in another study: it is named there, and nothing is answered', async () => {
    const helper = await newStore();
    const one = await secureParties({ coordinator: await newStore(), helper }, abc);
    const two = await secureParties({ coordinator: await newStore(), helper }, abc);
    await one.ask([
      one.slip(one.sites.a.forged(seeded(one, 9))),
      ...filesOf(one, 'b', 'c').map(one.slip),
    ]);
    const reused = two.slip(two.sites.a.forged(seeded(two, 9)));
    expect(await two.ask([reused, ...filesOf(two, 'b', 'c').map(two.slip)])).toMatchObject({
      unusable: [{ site: 'a', sequence: 1 }],
    });
    expect(await two.recorded()).toEqual({ sets: 1, seeds: 3 });
  });
});

describe('a site that sends garbage', () => {
  const { fits, ...refusedForms } = {
    fits: garbage,
    'no nonce': ({ nonce: _, ...made }: Contribution): Contribution => made,
    'no seal': ({ sealed: _, ...made }: Contribution): Contribution => made,
    'a short seal': (made: Contribution): Contribution => ({
      ...made,
      sealed: toBase64url(new Uint8Array(79)),
    }),
  };

  it.each(Object.entries(refusedForms))(
    'with %s is refused, and nothing is stored',
    async (_, change) => {
      const parties = await newParties(abc);
      const { coordinator, id, sites } = parties;
      const sent = coordinator.contribute(sites.a.caller, id, sites.a.forged(change));
      await expect(sent).rejects.toMatchObject({ code: 'unprocessable' });
      const { db } = parties.coordinatorStore;
      expect(await db.selectFrom('contributions').selectAll().execute()).toEqual([]);
    },
  );

  it.each<[string, (parties: SecureParties) => (made: Contribution) => Contribution]>([
    ['a seal that cannot be opened', () => fits],
    ['the seed of an earlier study', (parties) => seeded(parties, 11)],
  ])('%s: the site is named, and the rest resolves', async (_, forge) => {
    const helper = await newStore();
    const before = await secureParties({ coordinator: await newStore(), helper }, abc);
    await before.ask([
      before.slip(before.sites.a.forged(seeded(before, 11))),
      ...filesOf(before, 'b', 'c').map(before.slip),
    ]);
    const parties = await secureParties({ coordinator: await newStore(), helper }, [...abc, 'd']);
    const { coordinator, id, sites } = parties;
    await parties.send(...abc);
    await coordinator.contribute(sites.d.caller, id, sites.d.forged(forge(parties)));
    await coordinator.runDueWork();
    const { report, missing } = await coordinator.resolution(operator, id, 'latest');
    expect({ digest: report.digest, missing }).toEqual({
      digest: parties.plainDigest(...abc),
      missing: ['d'],
    });
    const events = await parties.events();
    expect(events.filter(({ event }) => event === 'unusable')).toEqual([
      { event: 'unusable', detail: { site: 'd', sequence: 1, why: expect.any(String) } },
    ]);
    const { db } = parties.coordinatorStore;
    const [erased] = await db
      .selectFrom('contributions')
      .select(['body', 'digest'])
      .where('site', '=', 'd')
      .execute();
    expect(erased).toEqual({ body: null, digest: null });
    const { statements } = await parties.helper.statements(parties.agreed.digest);
    expect(statements.map(({ sites }) => sites)).toEqual([abc]);
  });

  it('leaves too few: the study says so, the helper has answered nothing, and the site may come back', async () => {
    const parties = await newParties(abc);
    const { coordinator, id, sites } = parties;
    await parties.send('a', 'b');
    await coordinator.contribute(sites.c.caller, id, sites.c.forged(garbage));
    await coordinator.runDueWork();
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: 'sites that contributed: 2, needed for the quorum: 3',
    });
    expect(await parties.recorded()).toEqual(NOTHING);
    await coordinator.reopen(operator, id);
    await sites.c.send(rows(12, 20), { sequence: 2, mode: 'add' });
    await coordinator.close(operator, id).catch(() => {});
    await coordinator.runDueWork();
    const { report } = await coordinator.resolution(operator, id, 'latest');
    expect(report.digest).toBe(parties.plainDigest(...abc));
  });

  it('with numbers of no rows: the total is refused, nothing is published, and nobody can be named', async () => {
    const parties = await newParties(abc);
    const { coordinator, id, sites } = parties;
    await parties.send('a', 'b');
    const noise = sites.c.forged((made) => {
      const values = crypto.getRandomValues(new Uint32Array(made.statistic.values.length));
      return { ...made, statistic: { ...made.statistic, values } };
    });
    await coordinator.contribute(sites.c.caller, id, noise);
    await coordinator.runDueWork();
    const { state, problem } = await coordinator.view(operator, id);
    expect([state, problem]).toEqual([
      'closed',
      expect.stringMatching(/^the opened total is not the sum of any rows/),
    ]);
    await expect(coordinator.resolution(operator, id, 'latest')).rejects.toThrow();
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 3 });
  });
});

describe('before the deadline', () => {
  it('a helper waits for the missing sites; the study stays due and resolves afterwards', async () => {
    const clock = createClock();
    const quorum = { sites: 3, deadline: '2027-01-01T01:00:00Z' };
    const parties = await newParties([...abc, 'd'], { clock, quorum });
    const { coordinator, id } = parties;
    await parties.send(...abc);
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: expect.stringMatching(/^not yet: the study collects until/),
    });
    const { db } = parties.coordinatorStore;
    expect(await db.selectFrom('studies').select('due').execute()).toEqual([{ due: 1 }]);
    expect(await parties.recorded()).toEqual(NOTHING);
    clock.pass(3_600_000);
    const { report } = await parties.resolve();
    expect(report.digest).toBe(parties.plainDigest(...abc));
  });

  it('it answers when all sites of the roster are there', async () => {
    const clock = createClock();
    const quorum = { sites: 3, deadline: '2027-01-01T01:00:00Z' };
    const parties = await newParties(abc, { clock, quorum });
    await parties.send(...abc);
    await parties.coordinator.runDueWork();
    expect((await parties.coordinator.view(operator, parties.id)).state).toBe('resolved');
  });
});

describe('a study that could never be opened is refused', () => {
  it.each<[string, object, RegExp]>([
    ['a minimum above the roster', { minimumSites: 4 }, /no total could ever be opened/],
    ['the default minimum for three sites', { minimumSites: undefined }, /minimumSites is 5/],
    ['a key of another kem', { kem: 'x-wing' }, /key is not one of x-wing/],
  ])('%s', async (_, terms, problem) => {
    const { study } = await newParties(abc);
    expect(() => agreement(withTerms(study, terms))).toThrow(problem);
  });
});
