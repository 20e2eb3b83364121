import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PartyAnswer } from '../src/aggregation/aggregation.ts';
import { aggregationOf } from '../src/aggregation/aggregations.ts';
import { graphDegree, mostNeighbours } from '../src/aggregation/graph-degree.ts';
import type { Failure } from '../src/failure.ts';
import { keyPath, keyRoot, rootOfPath } from '../src/masks/key-tree.ts';
import { maskGraph } from '../src/masks/mask-graph.ts';
import { siteSet, siteSetText } from '../src/masks/site-set.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { Refusal } from '../src/protocol/refusal.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { entriesOf, type SegmentLayout, wordsOf } from '../src/statistic/layout.ts';
import { type RingVector, ringAddInto, ringSubtractFrom } from '../src/statistic/ring.ts';
import { triangle, vector } from '../src/statistic/segments.ts';
import { fromBase64url, toBase64url } from '../src/text/base64url.ts';
import { cases, enduring } from './endurance.ts';
import {
  type Gone,
  type MaskRun,
  MaskServer,
  MaskSite,
  maskSites,
  runMasks,
} from './mask-sites.ts';

useNativeCrypto();

/** Layouts of two, three, four and six words to a number. */
const layouts: readonly SegmentLayout[] = ([2, 3, 4, 6] as const).map((words) => ({
  of: 'counts by pair',
  arithmetic: 'exact',
  words,
  segments: [vector('rows', 1, 3), triangle('pairs', 3, 0), vector('sums', 2, 20)],
}));

const lengthOf = (layout: SegmentLayout) => entriesOf(layout) * wordsOf(layout);

/** Any numbers of a site. */
function numbersOf(layout: SegmentLayout, name: string): RingVector {
  const random = seededWords(name.length * 31 + name.charCodeAt(name.length - 1));
  return Uint32Array.from({ length: lengthOf(layout) }, random);
}

function isAnswer(answer: PartyAnswer | Failure): answer is PartyAnswer {
  return 'values' in answer;
}

/** The total that the server opens, and the plain one of the same sites. */
function totals(layout: SegmentLayout, { used, answer }: MaskRun) {
  const opened = new Uint32Array(lengthOf(layout));
  const plain = new Uint32Array(lengthOf(layout));
  for (const [name, mask] of used) {
    const numbers = numbersOf(layout, name);
    ringAddInto(plain, numbers, layout.words);
    ringSubtractFrom(numbers, mask, layout.words);
    ringAddInto(opened, numbers, layout.words);
  }
  if (isAnswer(answer)) ringAddInto(opened, answer.values, layout.words);
  return { opened, plain };
}

/** Whether the total can be opened, where all sites are neighbours of each other. */
function opens(count: number, gone: Gone): boolean {
  const stages = ['keys', 'shares', 'contributions', 'survivors', 'reveals'] as const;
  const left = new Set<string>();
  const [keys, shares, contributions, survivors, reveals] = stages.map((stage) => {
    for (const name of gone[stage] ?? []) left.add(name);
    return count - left.size;
  });
  const threshold = Math.floor(0.7 * (keys - 1)) + 1;
  return (
    Math.min(keys, shares, contributions) >= 3 &&
    [shares, contributions, survivors, reveals].every((there) => there - 1 >= threshold)
  );
}

const anyRun = fc
  .record({
    count: fc.integer({ min: 3, max: enduring ? 12 : 8 }),
    words: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer(),
    gone: fc.array(fc.tuple(fc.nat(11), fc.nat(4)), { maxLength: 4 }),
  })
  .map(({ gone, ...rest }) => {
    const stages = ['keys', 'shares', 'contributions', 'survivors', 'reveals'] as const;
    const at = (k: number) =>
      new Set(gone.filter(([, stage]) => stage === k).map(([site]) => `site ${site % rest.count}`));
    return { ...rest, gone: Object.fromEntries(stages.map((stage, k) => [stage, at(k)])) as Gone };
  });

const shuffledBy =
  (seed: number) =>
  (sites: readonly MaskSite[]): MaskSite[] => {
    const random = seededWords(seed);
    return sites
      .map((site) => ({ site, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ site }) => site);
  };

describe('sites that agree on masks', () => {
  it('open the plain total to the last bit, for any dropouts above the threshold and any order', async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ count, words, seed, gone }) => {
        const { masks, sites } = maskSites(count);
        const layout = layouts[words];
        const run = await runMasks(masks, sites, layout, gone, shuffledBy(seed));
        expect(isAnswer(run.answer)).toBe(opens(count, gone));
        if (!isAnswer(run.answer)) {
          // Who must come back is said by name.
          expect(run.answer.problem).toMatch(/come back: .*site \d/);
          return;
        }
        opened += 1;
        const { opened: found, plain } = totals(layout, run);
        expect(found).toEqual(plain);
        expect(run.answer.contributions).toBe(run.used.size);
      }),
      { numRuns: cases(50, 1 / 5), seed: 22 },
    );
    expect(opened).toBeGreaterThan(4);
  });

  it.runIf(enduring)('open it where each has some neighbours only', async () => {
    const { masks, sites } = maskSites(68);
    const names = sites.map(({ name }) => name);
    const gone = {
      keys: new Set(names.slice(0, 2)),
      shares: new Set(names.slice(2, 3)),
      contributions: new Set(names.slice(3, 6)),
      reveals: new Set(names.slice(6, 8)),
    };
    const run = await runMasks(masks, sites, layouts[1], gone);
    const { opened, plain } = totals(layouts[1], run);
    expect(opened).toEqual(plain);
    const keys = run.server.graphFor(names[20]).keys.length;
    expect(keys).toBeLessThan(50);
    expect(keys).toBe(graphDegree(66, 0.7)!.neighbours);
  });

  it('hide their numbers: what the server gets is uniform, whatever the data', async () => {
    const layout = layouts[1];
    const zeros = new Uint32Array(lengthOf(layout));
    const data = [zeros, zeros.map(() => 0xffffffff), numbersOf(layout, 'any')];
    const counts = data.map(() => new Float64Array(256));
    for (let run = 0; run < 12; run++) {
      const { masks, sites } = maskSites(3);
      const { used } = await runMasks(masks, sites, layout);
      for (const mask of used.values()) {
        for (const [k, numbers] of data.entries()) {
          const sent = numbers.slice();
          ringSubtractFrom(sent, mask, layout.words);
          for (const byte of new Uint8Array(sent.buffer)) counts[k][byte] += 1;
        }
      }
    }
    for (const count of counts) {
      const expected = count.reduce((sum, one) => sum + one, 0) / 256;
      const chiSquare = count.reduce((sum, one) => sum + (one - expected) ** 2 / expected, 0);
      // 255 degrees of freedom: above 400 with a chance of 10⁻⁸.
      expect(chiSquare).toBeLessThan(400);
    }
  });
});

/** Five sites, up to the stage of shares. */
async function dealt(count = 5) {
  const { masks, sites } = maskSites(count);
  const server = new MaskServer(masks);
  for (const site of sites) server.takeKeys(site.keys());
  server.endKeys();
  for (const site of sites) server.takeShares(await site.shares(server.graphFor(site.name)));
  server.endShares();
  return { masks, sites, server, layout: layouts[1] };
}

/** Five sites that have contributed. */
async function contributed(count = 5) {
  const all = await dealt(count);
  const { sites, server, layout } = all;
  for (const site of sites) site.mask(server.sharesFor(site.name), layout);
  server.endContributions(sites.map(({ name }) => name));
  return all;
}

/** Five sites that have signed who takes part. */
async function signed(count = 5) {
  const all = await contributed(count);
  const { sites, server } = all;
  for (const site of sites) server.takeSurvivors(site.survivors(server.fixed.contributions!));
  return all;
}

const refusal = (problem: RegExp) =>
  expect.objectContaining({ name: 'Refusal', message: expect.stringMatching(problem) });

describe('a site refuses', () => {
  it('keys of a server: forged, of another study, of a stranger, or without its own', async () => {
    const { masks, sites } = maskSites(5);
    const server = new MaskServer(masks);
    for (const site of sites) server.takeKeys(site.keys());
    server.endKeys();
    const [victim, other] = sites;
    const part = server.graphFor(victim.name);
    const forged = (change: object, key = createSigningKey()) => {
      const { seal: _, ...document } = other.keys();
      const one = sealDocument({ ...document, ...change }, key);
      return { ...part, keys: part.keys.map((own) => (own.site === other.name ? one : own)) };
    };
    const stranger = new MaskSite(victim.name, victim.key, masks);
    const third = server.keys.get(sites[2].name)!;
    const cases: [Parameters<typeof victim.shares>[0], RegExp][] = [
      [forged({}), /key that the roster does not have/],
      [forged({ study: `sha256:${'6'.repeat(64)}` }, other.key), /another study/],
      [{ ...part, keys: part.keys.slice(1) }, /other sites than the neighbours/],
      [forged({ pair: third.pair }, other.key), /those of another site/],
      [{ ...part, keys: [...part.keys.slice(1), part.keys[1]] }, /other sites/],
      [{ ...part, path: [] }, /do not include those of this site/],
      [{ ...part, root: toBase64url(new Uint8Array(32)) }, /do not include/],
      [{ ...part, present: siteSetText(masks.terms.roster, [other.name]) }, /without this site/],
      [{ ...part, present: 'AA' }, /without this site/],
      [{ ...part, present: '____' }, /set of sites that is none/],
      [
        { ...part, present: siteSetText(masks.terms.roster, [victim.name, other.name]) },
        /minimumSites is 3/,
      ],
    ];
    for (const [shown, problem] of cases) {
      await expect(victim.shares(shown)).rejects.toEqual(refusal(problem));
      expect(victim.state.graph).toBeUndefined();
    }
    // A site that is not the one whose keys are in the tree.
    await expect(stranger.shares(part)).rejects.toEqual(refusal(/do not include/));
    const first = await victim.shares(part);
    expect(await victim.shares(part)).toEqual(first);
    const without = new MaskServer(masks);
    for (const site of sites.slice(0, 4)) without.takeKeys(site.keys());
    without.endKeys();
    await expect(victim.shares(without.graphFor(victim.name))).rejects.toEqual(
      refusal(/other keys than before/),
    );
  });

  it('another set of sites with shares, or one with too few neighbours', async () => {
    const { masks, sites, server, layout } = await dealt();
    const [victim] = sites;
    const part = server.sharesFor(victim.name);
    const only = (count: number) =>
      siteSetText(
        masks.terms.roster,
        sites.slice(0, count).map(({ name }) => name),
      );
    expect(() => victim.mask({ ...part, present: only(3) }, layout)).toThrow(
      refusal(/missing: site 3, site 4/),
    );
    expect(victim.state.used).toBeUndefined();
    victim.mask(part, layout);
    expect(() => victim.mask({ ...part, present: only(4) }, layout)).toThrow(
      refusal(/another set of sites with shares/),
    );
  });

  it('to sign a second set, or to give out a second share: no total over S and S without one', async () => {
    const { masks, sites, server } = await contributed();
    const [victim] = sites;
    const whole = server.fixed.contributions!;
    const without = siteSetText(
      masks.terms.roster,
      sites.slice(0, 4).map(({ name }) => name),
    );
    for (const site of sites) server.takeSurvivors(site.survivors(whole));
    expect(() => victim.survivors(without)).toThrow(refusal(/another set of contributions/));
    const reveals = victim.reveals(server.signaturesFor(victim.name))!;
    // For each neighbour one share, never both.
    expect(Object.keys(reveals.own).sort()).toEqual(sites.slice(1).map(({ name }) => name));
    expect(reveals.pair).toEqual({});
    expect(() => victim.survivors(without)).toThrow(refusal(/another set of contributions/));
    expect(victim.reveals([])).toEqual(reveals);
  });

  it('to give out shares while too few neighbours have signed, or one has signed another set', async () => {
    const { masks, sites, server } = await contributed();
    const whole = server.fixed.contributions!;
    const names = sites.map(({ name }) => name);
    const without = siteSetText(masks.terms.roster, names.slice(0, 4));
    const [victim, second, third, fourth] = sites;
    victim.survivors(whole);
    const said = [second, third].map((site) => site.survivors(whole));
    expect(victim.reveals(said)).toBeUndefined();
    expect(victim.state.reveals).toBeUndefined();
    // Signatures that are not the neighbours' count for nothing.
    const { seal: _, ...document } = said[0];
    const forged = sealDocument({ ...document, site: names[3] }, createSigningKey());
    expect(victim.reveals([...said, forged, said[1]])).toBeUndefined();
    const elsewhere = fourth.survivors(without);
    expect(() => victim.reveals([...said, elsewhere])).toThrow(
      refusal(/has shown site 3 another set/),
    );
    expect(victim.state.reveals).toBeUndefined();
  });

  it('a set in which it is, though it has sent nothing', async () => {
    const { masks, sites } = await dealt();
    const all = siteSetText(
      masks.terms.roster,
      sites.map(({ name }) => name),
    );
    const [victim] = sites;
    victim.state = { ...victim.state, dealt: { present: all, held: {} } };
    expect(() => victim.survivors(all)).toThrow(refusal(/counts a site that sent nothing/));
    expect(victim.state.view).toBeUndefined();
  });
});

describe('the server refuses', () => {
  it('messages of strangers, of other studies, of another stage or view', async () => {
    const { sites, server } = await signed();
    const [one, two] = sites;
    const resealed = <T extends { readonly seal: unknown }>(message: T, change: Partial<T>): T => {
      const { seal: _, ...document } = message;
      return sealDocument({ ...document, ...change }, one.key) as unknown as T;
    };
    const keys = one.keys();
    const shares = one.state.graph!.message;
    const sign = server.signed.get(one.name)!;
    const reveals = one.reveals(server.signaturesFor(one.name))!;
    const before = [server.keys, server.shares, server.signed, server.reveals].map(
      (all) => all.size,
    );
    const other = `sha256:${'6'.repeat(64)}`;
    const cases: [() => void, RegExp][] = [
      [() => server.takeKeys({ ...keys, box: keys.pair }), /signature is not valid/],
      [() => server.takeKeys(resealed(keys, { site: two.name })), /key that the roster/],
      [() => server.takeKeys(resealed(keys, { site: 'nobody' })), /not in the roster/],
      [() => server.takeKeys(resealed(keys, { study: other })), /another study/],
      [() => server.takeShares(resealed(shares, { graph: other })), /its keys are others/],
      [() => server.takeShares(resealed(shares, { shares: {} })), /one share for each neighbour/],
      [
        () =>
          server.takeShares(resealed(shares, { shares: { ...shares.shares, [two.name]: 'abcd' } })),
        /another size/,
      ],
      [() => server.takeSurvivors(resealed(sign, { view: other })), /another set of sites/],
      [() => server.takeReveals(resealed(reveals, { view: other })), /another set of sites/],
      [
        () => server.takeReveals(resealed(reveals, { own: {}, pair: reveals.own })),
        /not asked for/,
      ],
      [
        () =>
          server.takeReveals(resealed(reveals, { own: { ...reveals.own, [two.name]: 'AAAA' } })),
        /another size/,
      ],
      [
        () => server.takeReveals(resealed(reveals, { own: { [one.name]: reveals.own[two.name] } })),
        /not asked for/,
      ],
    ];
    for (const [send, problem] of cases) expect(send).toThrow(refusal(problem));
    const after = [server.keys, server.shares, server.signed, server.reveals].map(
      (all) => all.size,
    );
    expect(after).toEqual(before);
    expect(() => new MaskServer(server.masks).takeShares(shares)).toThrow(Refusal);
  });
});

describe('wrong shares', () => {
  it('of few sites are found, their sites named, and the total is opened from the others', async () => {
    const { sites, server, layout } = await signed(8);
    const used = new Map(
      sites.map((site) => [site.name, site.mask(server.sharesFor(site.name), layout)]),
    );
    for (const site of sites) {
      const reveals = site.reveals(server.signaturesFor(site.name))!;
      if (site !== sites[2]) {
        server.takeReveals(reveals);
        continue;
      }
      const spoiled = Object.entries(reveals.own).map(([name, text]) => {
        const share = fromBase64url(text)!;
        share[5] ^= 1;
        return [name, toBase64url(share)];
      });
      const { seal: _, ...document } = reveals;
      server.takeReveals(sealDocument({ ...document, own: Object.fromEntries(spoiled) }, site.key));
    }
    const answer = await server.open(layout);
    expect(answer).toMatchObject({ liars: ['site 2'], contributions: 8 });
    const { opened, plain } = totals(layout, { server, used, answer });
    expect(opened).toEqual(plain);
  });

  it('of a site about itself leave no total, and it is named', async () => {
    const { masks, sites } = maskSites(5);
    const server = new MaskServer(masks);
    const [, bad] = sites;
    for (const site of sites) server.takeKeys(site.keys());
    server.endKeys();
    // Its shares are of another secret than the one it committed to.
    const honest = bad.state;
    for (const site of sites) {
      if (site === bad) {
        const { secrets } = honest;
        const message = await site.shares(server.graphFor(site.name));
        const twin = new MaskSite(bad.name, bad.key, masks);
        twin.state = { ...twin.state, secrets: { ...secrets, own: twin.state.secrets.own } };
        const part = server.graphFor(site.name);
        await expect(twin.shares(part)).rejects.toEqual(refusal(/do not include/));
        server.takeShares(message);
        continue;
      }
      server.takeShares(await site.shares(server.graphFor(site.name)));
    }
    server.endShares();
    for (const site of sites) site.mask(server.sharesFor(site.name), layouts[1]);
    server.endContributions(sites.map(({ name }) => name));
    for (const site of sites) server.takeSurvivors(site.survivors(server.fixed.contributions!));
    for (const site of sites) {
      const reveals = site.reveals(server.signaturesFor(site.name))!;
      const { seal: _, ...document } = reveals;
      const own = Object.entries(reveals.own).map(([name, text]) => {
        const share = fromBase64url(text)!;
        if (name === bad.name) share[0] ^= 1;
        return [name, toBase64url(share)];
      });
      server.takeReveals(sealDocument({ ...document, own: Object.fromEntries(own) }, site.key));
    }
    expect(await server.open(layouts[1])).toEqual({
      problem: expect.stringMatching(/mask of site 1 cannot be taken off/),
      remedy: expect.stringMatching(/without the doubtful site/),
    });
  });

  it('that cannot be decrypted are left out, and the rest is enough', async () => {
    const { sites, server, layout } = await dealt(8);
    const [one, two] = sites;
    const part = server.sharesFor(one.name);
    const garbage = { ...part.shares, [two.name]: part.shares[sites[2].name] };
    const used = new Map(
      sites.map((site) => [
        site.name,
        site.mask(
          site === one ? { ...part, shares: garbage } : server.sharesFor(site.name),
          layout,
        ),
      ]),
    );
    expect(Object.keys(one.state.dealt!.held)).not.toContain(two.name);
    server.endContributions(sites.map(({ name }) => name));
    for (const site of sites) server.takeSurvivors(site.survivors(server.fixed.contributions!));
    for (const site of sites) server.takeReveals(site.reveals(server.signaturesFor(site.name))!);
    const answer = await server.open(layout);
    const { opened, plain } = totals(layout, { server, used, answer });
    expect(opened).toEqual(plain);
  });
});

describe('the graph of neighbours', () => {
  it.each([
    [3, 2, 2],
    [5, 4, 3],
    [12, 11, 8],
    [64, 63, 45],
    [100, 34, 24],
    [1000, 140, 99],
    [10_000, 176, 124],
    [65_536, 186, 131],
  ])(
    'of %i sites gives each %i neighbours, %i of which must come back',
    (sites, neighbours, threshold) => {
      expect(graphDegree(sites, 0.7)).toEqual({ neighbours, threshold });
      expect(neighbours).toBeLessThanOrEqual(mostNeighbours);
    },
  );

  it('grows like the logarithm of the number of sites, so that all traffic grows like K log K', () => {
    for (let sites = 8; sites <= 65_536; sites *= 2) {
      expect(graphDegree(sites, 0.7)!.neighbours).toBeLessThan(15 * Math.log2(sites));
    }
  });

  it('is refused when the study is made, where there is no safe one', () => {
    const roster = Object.fromEntries(Array.from({ length: 1000 }, (_, k) => [`s${k}`, `${k}`]));
    const made = (threshold: number) => () =>
      aggregationOf({ aggregation: { kind: 'pairwise-masks', roster, threshold } });
    expect(made(0.75)).not.toThrow();
    expect(made(0.6)).toThrow(/more than 255 neighbours/);
  });

  it('is symmetric, regular, and another for another digest', () => {
    const names = Array.from({ length: 80 }, (_, k) => `s${k}`).sort();
    const [one, other] = ['sha256:1', 'sha256:2'].map((digest) => maskGraph(names, 0.7, digest));
    const { neighbours } = graphDegree(80, 0.7)!;
    const near = new Map(names.map((name) => [name, new Set(one.neighbours(name))]));
    for (const [name, own] of near) {
      expect(own.size).toBe(neighbours);
      expect([...own].every((other) => near.get(other)!.has(name))).toBe(true);
    }
    expect(one.neighbours('s0')).not.toEqual(other.neighbours('s0'));
    expect(one.neighbours('stranger')).toEqual([]);
    expect(maskGraph(['a', 'b', 'c'], 0.7, 'sha256:1').neighbours('stranger')).toEqual([]);
  });
});

it('a path leads from each leaf to the root, and from no other', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(39), (count, at) => {
      const leaves = Array.from({ length: count }, (_, k) => new Uint8Array(32).fill(k));
      const index = at % count;
      const path = keyPath(leaves, index);
      const root = keyRoot(leaves);
      expect(rootOfPath(leaves[index], index, count, path)).toBe(root);
      expect(rootOfPath(new Uint8Array(32).fill(99), index, count, path)).not.toBe(root);
      expect(rootOfPath(leaves[index], index, count, [...path, root])).toBeUndefined();
      if (count > 1) expect(rootOfPath(leaves[index], index, count, path.slice(1))).not.toBe(root);
    }),
  );
});

it('a set of sites is one bit a name, and has one text', () => {
  const roster = Object.fromEntries(Array.from({ length: 9 }, (_, k) => [`s${k}`, '']));
  expect(siteSet(roster, siteSetText(roster, ['s8', 's2']))).toEqual(['s2', 's8']);
  expect(siteSet(roster, 'AA')).toBeUndefined();
  expect(siteSet(roster, toBase64url(Uint8Array.of(0, 2)))).toBeUndefined();
});
