import type { MaskTerms } from '../aggregation/aggregation.ts';
import { decryptOnce, encryptOnce } from '../cipher/pair-key.ts';
import { x25519PublicKey } from '../cipher/x25519.ts';
import type {
  MaskGraphPart,
  MaskKeys,
  MaskReveals,
  MaskShares,
  MaskSharesPart,
  MaskSurvivors,
  SealedMaskKeys,
  SealedMaskSurvivors,
} from '../protocol/mask-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSealed, type Sealed, type SigningKey, sealDocument } from '../protocol/signature.ts';
import type { Layout } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import { digestJson } from '../study/digest.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';
import { keyLeaf, rootOfPath } from './key-tree.ts';
import { type MaskGraph, maskGraph } from './mask-graph.ts';
import { boxKey, growingMask, ownDigest, ownSeed, pairSeed } from './mask-seeds.ts';
import type { HeldShares, MaskState, NeighbourKeys } from './mask-state.ts';
import { shareBytes, shareSecret } from './shamir.ts';
import { siteSet } from './site-set.ts';

const bytesOf = (text: string): Uint8Array => fromBase64url(text)!;

/** Refuses what a coordinator shows. Nothing more leaves the site. */
function untrusted(problem: string): Refusal {
  return new Refusal(
    'conflict',
    `${problem}; nothing more was sent`,
    'ask the analyst; if the coordinator is honest, a new study is needed',
  );
}

/** Digest of the sites with keys, and of the keys. */
export function graphDigest(
  study: string,
  { present, root }: Pick<MaskGraphPart, 'present' | 'root'>,
): string {
  return digestJson({ study, present, root });
}

/** Digest of all that sites must agree on before they help to open a sum. */
export function viewDigest(graph: string, dealt: string, survivors: string): string {
  return digestJson({ graph, dealt, survivors });
}

/** The keys of a site; the same for one state. */
export function keysMessage({ study, site, secrets }: MaskState, key: SigningKey): SealedMaskKeys {
  const publicOf = (secret: string) => toBase64url(x25519PublicKey(bytesOf(secret)));
  return sealDocument<MaskKeys>(
    {
      schema: 'suffice/mask-keys@1',
      ...{ study, site, box: publicOf(secrets.box), pair: publicOf(secrets.pair) },
      own: ownDigest(study, site, bytesOf(secrets.own)),
    },
    key,
  );
}

/** Why a message was not signed by the site that it names, for this study; undefined if it was. */
export function unsignedBy(
  { roster }: Pick<MaskTerms, 'roster'>,
  study: string,
  message: Sealed<{ readonly study: string; readonly site: string }>,
): string | undefined {
  if (!Object.hasOwn(roster, message.site)) return 'its site is not in the roster of the study';
  if (message.study !== study) return 'it was made for another study';
  if (message.seal.key !== roster[message.site])
    return 'it is signed with a key that the roster does not have';
  return isSealed(message) ? undefined : 'its signature is not valid';
}

/** The sites of a set that the coordinator shows; refuses one without this site, with too few, or with sites beyond `among`. */
function shownSites(
  { roster, minimumSites }: MaskTerms,
  site: string,
  text: string,
  among?: readonly string[],
): string[] {
  const sites = siteSet(roster, text);
  if (sites === undefined) throw untrusted('the coordinator shows a set of sites that is none');
  if (!sites.includes(site)) throw untrusted('the coordinator shows a set without this site');
  if (sites.length < minimumSites) {
    throw untrusted(
      `the coordinator shows a set of ${sites.length} sites, and minimumSites is ${minimumSites}`,
    );
  }
  const known = new Set(among ?? sites);
  if (!sites.every((name) => known.has(name))) {
    throw untrusted('the coordinator shows a set with a site that was not there before');
  }
  return sites;
}

/** Refuses a set with too few neighbours of the site, and says who is missing. */
function refuseFewNeighbours(
  neighbours: readonly string[],
  present: ReadonlySet<string>,
  threshold: number,
): void {
  const missing = neighbours.filter((name) => !present.has(name));
  const there = neighbours.length - missing.length;
  if (there >= threshold) return;
  throw untrusted(
    `of ${neighbours.length} neighbours ${there} are there, and ${threshold} are needed; missing: ${missing.join(', ')}`,
  );
}

/** After the stage of keys: checks them, finds the neighbours, and makes shares of the site's secrets for each. */
export async function withGraph(
  terms: MaskTerms,
  state: MaskState,
  { present, root, path, keys }: MaskGraphPart,
  key: SigningKey,
): Promise<MaskState> {
  const { study, site, secrets } = state;
  const digest = graphDigest(study, { present, root });
  if (state.graph !== undefined) {
    if (state.graph.digest === digest) return state;
    throw untrusted('the coordinator shows other keys than before');
  }
  const sites = shownSites(terms, site, present);
  const leaf = keyLeaf(keysMessage(state, key));
  if (rootOfPath(leaf, sites.indexOf(site), sites.length, path) !== root) {
    throw untrusted('the keys that the coordinator shows do not include those of this site');
  }
  const graph = maskGraph(sites, terms.threshold, digest);
  const neighbours = neighbourKeys(terms, state, graph, keys);
  const context = { study, graph: digest };
  const names = Object.keys(neighbours);
  const [own, pair] = await Promise.all(
    [secrets.own, secrets.pair].map((secret) =>
      shareSecret(bytesOf(secret), names.length, graph.threshold),
    ),
  );
  const shares = names.map((name, k) => {
    const box = boxKey(context, bytesOf(secrets.box), bytesOf(neighbours[name].box), [site, name]);
    if (box === undefined) throw untrusted(`the key of ${name} cannot be used`);
    const both = Uint8Array.from([...own[k], ...pair[k]]);
    return [name, toBase64url(encryptOnce(box, both))];
  });
  const message = sealDocument<MaskShares>(
    {
      ...{ schema: 'suffice/mask-shares@1', study, site, graph: digest },
      shares: Object.fromEntries(shares),
    },
    key,
  );
  const { threshold } = graph;
  return { ...state, graph: { digest, threshold, present, neighbours, message } };
}

/** The keys of exactly the site's neighbours, each signed by its owner. */
function neighbourKeys(
  terms: MaskTerms,
  { study, site }: MaskState,
  graph: MaskGraph,
  keys: readonly SealedMaskKeys[],
): Readonly<Record<string, NeighbourKeys>> {
  const expected = graph.neighbours(site);
  const shown = new Map(keys.map((one) => [one.site, one]));
  if (shown.size !== keys.length || shown.size !== expected.length) {
    throw untrusted('the coordinator shows the keys of other sites than the neighbours');
  }
  const used = new Set<string>();
  const entries = expected.map((name) => {
    const one = shown.get(name);
    if (one === undefined) throw untrusted(`the keys of ${name} are missing`);
    const wrong = unsignedBy(terms, study, one);
    if (wrong !== undefined) throw untrusted(`the keys of ${name} are refused: ${wrong}`);
    if (used.has(one.pair) || used.has(one.box) || one.box === one.pair) {
      throw untrusted(`the keys of ${name} are those of another site`);
    }
    used.add(one.pair).add(one.box);
    return [name, { box: one.box, pair: one.pair }] as const;
  });
  return Object.fromEntries(entries);
}

/** After the stage of shares: decrypts those of the neighbours. Shares that cannot be decrypted are left out. */
export function withShares(
  terms: MaskTerms,
  state: MaskState,
  { present, shares }: MaskSharesPart,
): MaskState {
  const { graph, study, site, secrets } = state;
  if (graph === undefined) throw new RangeError('keys come before shares');
  if (state.dealt !== undefined) {
    if (state.dealt.present === present) return state;
    throw untrusted('the coordinator shows another set of sites with shares than before');
  }
  const among = siteSet(terms.roster, graph.present);
  const dealers = new Set(shownSites(terms, site, present, among));
  const names = Object.keys(graph.neighbours);
  refuseFewNeighbours(names, dealers, graph.threshold);
  const context = { study, graph: graph.digest };
  const held = new Map<string, HeldShares>();
  for (const name of names.filter((one) => dealers.has(one))) {
    const { box } = graph.neighbours[name];
    const opened = boxKey(context, bytesOf(secrets.box), bytesOf(box), [name, site]);
    const text = Object.hasOwn(shares, name) ? fromBase64url(shares[name]) : undefined;
    const both = opened && text && decryptOnce(opened, text);
    if (both?.length !== 2 * shareBytes) continue;
    held.set(name, {
      own: toBase64url(both.slice(0, shareBytes)),
      pair: toBase64url(both.slice(shareBytes)),
    });
  }
  return { ...state, dealt: { present, held: Object.fromEntries(held) } };
}

/** The mask of the site: its own, and one of each pair with a neighbour that sent shares. */
export function siteMask(terms: MaskTerms, state: MaskState, layout: Layout): RingVector {
  const { graph, dealt, study, site, secrets } = state;
  if (graph === undefined || dealt === undefined) throw new RangeError('shares come before masks');
  const context = { study, graph: graph.digest };
  const sum = growingMask(layout);
  sum.add(ownSeed(context, bytesOf(secrets.own), site));
  const dealers = new Set(siteSet(terms.roster, dealt.present));
  for (const [name, { pair }] of Object.entries(graph.neighbours)) {
    if (!dealers.has(name)) continue;
    const seed = pairSeed(context, bytesOf(secrets.pair), bytesOf(pair), [site, name]);
    if (seed === undefined) throw untrusted(`the key of ${name} cannot be used`);
    sum.addPair(seed, site, name);
  }
  return sum.values;
}

/** After the contributions: checks who is in the total, and decides to sign this view and no other. */
export function withSurvivors(terms: MaskTerms, state: MaskState, survivors: string): MaskState {
  const { graph, dealt, site } = state;
  if (graph === undefined || dealt === undefined) throw new RangeError('shares come first');
  if (state.view !== undefined) {
    if (state.view.survivors === survivors) return state;
    throw untrusted('the coordinator shows another set of contributions than before');
  }
  if (state.used !== true) throw untrusted('the coordinator counts a site that sent nothing');
  const among = siteSet(terms.roster, dealt.present);
  const sites = new Set(shownSites(terms, site, survivors, among));
  refuseFewNeighbours(Object.keys(graph.neighbours), sites, graph.threshold);
  const digest = viewDigest(graph.digest, dealt.present, survivors);
  return { ...state, view: { digest, survivors } };
}

/** The signature of a view. */
export function survivorsMessage(
  { study, site, view }: MaskState,
  key: SigningKey,
): SealedMaskSurvivors {
  if (view === undefined) throw new RangeError('the view comes before its signature');
  return sealDocument<MaskSurvivors>(
    { schema: 'suffice/mask-survivors@1', study, site, view: view.digest },
    key,
  );
}

/**
 * Once enough neighbours have signed the same view: chooses for each neighbour the share to give out. Undefined if too few have
 * signed so far; refuses if one of them has signed another view.
 */
export function withSignatures(
  terms: MaskTerms,
  state: MaskState,
  signed: readonly SealedMaskSurvivors[],
  key: SigningKey,
): MaskState | undefined {
  if (state.reveals !== undefined) return state;
  const { graph, dealt, view, study, site } = state;
  if (graph === undefined || dealt === undefined || view === undefined) {
    throw new RangeError('the view comes before its signatures');
  }
  const survivors = new Set(siteSet(terms.roster, view.survivors));
  const agreeing = new Set<string>();
  for (const one of signed) {
    if (!Object.hasOwn(graph.neighbours, one.site) || !survivors.has(one.site)) continue;
    if (unsignedBy(terms, study, one) !== undefined) continue;
    if (one.view !== view.digest) {
      throw untrusted(`the coordinator has shown ${one.site} another set of sites`);
    }
    agreeing.add(one.site);
  }
  if (agreeing.size < graph.threshold) return undefined;
  const held = Object.entries(dealt.held);
  const own = held.filter(([name]) => survivors.has(name)).map(([name, one]) => [name, one.own]);
  const pair = held.filter(([name]) => !survivors.has(name)).map(([name, one]) => [name, one.pair]);
  const reveals = sealDocument<MaskReveals>(
    {
      ...{ schema: 'suffice/mask-reveals@1', study, site, view: view.digest },
      own: Object.fromEntries(own),
      pair: Object.fromEntries(pair),
    },
    key,
  );
  return { ...state, reveals };
}
