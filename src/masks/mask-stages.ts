import type { MaskTerms } from '../aggregation/aggregation.ts';
import type { Failure } from '../failure.ts';
import type {
  MaskGraphPart,
  SealedMaskKeys,
  SealedMaskReveals,
  SealedMaskShares,
  SealedMaskSurvivors,
} from '../protocol/mask-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';
import { byCodeUnit } from '../text/by-code-unit.ts';
import { keyLeaf, keyPath, keyRoot } from './key-tree.ts';
import { type MaskGraph, maskGraph } from './mask-graph.ts';
import { shareBytes } from './shamir.ts';
import { graphDigest, unsignedBy, viewDigest } from './site-masks.ts';
import { siteSet, siteSetText } from './site-set.ts';

/** The sites with keys, the root of the tree over them, and its leaves in order of name. */
export interface FixedKeys extends Pick<MaskGraphPart, 'present' | 'root'> {
  readonly leaves: readonly string[];
}

/** What the server fixes when a stage is over. Sets of sites are bits in order of the roster's names. */
export interface FixedStages {
  readonly keys?: FixedKeys;
  readonly shares?: string;
  readonly contributions?: string;
}

/** A study's masks, as the server sees them. */
export interface MaskStudy {
  readonly study: string;
  readonly terms: MaskTerms;
}

const malformed = (problem: string) =>
  new Refusal(
    'unprocessable',
    `the message is refused: ${problem}`,
    'make it again, by joining the study',
  );

/** Refuses a message that its site did not sign for this study. */
export function refuseUnsigned(
  { terms, study }: MaskStudy,
  message: Parameters<typeof unsignedBy>[2],
): void {
  const wrong = unsignedBy(terms, study, message);
  if (wrong !== undefined) throw malformed(wrong);
}

/** Ends the stage of keys: everybody's keys, bound by one root. */
export function fixKeys(
  { terms }: MaskStudy,
  keys: readonly SealedMaskKeys[],
): FixedKeys | Failure {
  const missing = tooFew(
    terms,
    keys.map(({ site }) => site),
    'keys',
  );
  if (missing !== undefined) return missing;
  const inOrder = keys.toSorted((a, b) => byCodeUnit(a.site, b.site));
  const leaves = inOrder.map(keyLeaf);
  const present = siteSetText(
    terms.roster,
    inOrder.map(({ site }) => site),
  );
  return { present, root: keyRoot(leaves), leaves: leaves.map(toBase64url) };
}

/** The graph of the keys. */
export function fixedGraph({ terms, study }: MaskStudy, { keys }: FixedStages): MaskGraph {
  if (keys === undefined) throw tooEarly('keys');
  const sites = siteSet(terms.roster, keys.present) ?? [];
  return maskGraph(sites, terms.threshold, graphDigest(study, keys));
}

/** What one site needs of the keys, with those of its neighbours. */
export function graphPart(
  masks: MaskStudy,
  fixed: FixedStages,
  keys: readonly SealedMaskKeys[],
  site: string,
): MaskGraphPart {
  const { sites } = fixedGraph(masks, fixed);
  const { present, root, leaves } = fixed.keys!;
  const tree = leaves.map((leaf) => fromBase64url(leaf)!);
  return { present, root, path: keyPath(tree, sites.indexOf(site)), keys };
}

const BOX_CHARACTERS = Math.ceil(((2 * shareBytes + 16) * 4) / 3);

/** Refuses shares for others than the neighbours, or for other keys. */
export function refuseShares(
  masks: MaskStudy,
  fixed: FixedStages,
  { site, graph: digest, shares }: SealedMaskShares,
): void {
  const graph = fixedGraph(masks, fixed);
  if (digest !== graphDigest(masks.study, fixed.keys!)) throw malformed('its keys are others');
  const near = graph.neighbours(site);
  if (near.length === 0) throw malformed('its site sent no keys in time');
  const names = Object.keys(shares);
  if (names.length !== near.length || !near.every((name) => Object.hasOwn(shares, name))) {
    throw malformed('it does not have one share for each neighbour');
  }
  if (!Object.values(shares).every((text) => text.length === BOX_CHARACTERS)) {
    throw malformed('a share has another size');
  }
}

/** Ends the stage of shares. */
export function fixShares(
  masks: MaskStudy,
  fixed: FixedStages,
  dealers: readonly string[],
): string | Failure {
  const graph = fixedGraph(masks, fixed);
  const lacking =
    tooFew(masks.terms, dealers, 'shares') ?? unopenable(graph, dealers, dealers, 'shares');
  return lacking ?? siteSetText(masks.terms.roster, dealers);
}

/** Ends the stage of contributions: these are in the total. */
export function fixContributions(
  masks: MaskStudy,
  fixed: FixedStages,
  contributors: readonly string[],
): string | Failure {
  const graph = fixedGraph(masks, fixed);
  if (fixed.shares === undefined) throw tooEarly('shares');
  const dealers = siteSet(masks.terms.roster, fixed.shares) ?? [];
  const lacking =
    tooFew(masks.terms, contributors, 'a contribution') ??
    unopenable(graph, dealers, contributors, 'a contribution');
  return lacking ?? siteSetText(masks.terms.roster, contributors);
}

/** Who must come back because fewer sites than `minimumSites` are there. */
function tooFew(
  { roster, minimumSites }: MaskTerms,
  sites: readonly string[],
  what: string,
): Failure | undefined {
  if (sites.length >= minimumSites) return undefined;
  const there = new Set(sites);
  const missing = Object.keys(roster).filter((name) => !there.has(name));
  return comeBack(
    `${sites.length} sites have sent ${what}, and minimumSites is ${minimumSites}`,
    minimumSites - sites.length,
    missing,
  );
}

/** Who must come back because the masks of some site could not be taken off. */
function unopenable(
  graph: MaskGraph,
  masked: readonly string[],
  there: readonly string[],
  what: string,
): Failure | undefined {
  const present = new Set(there);
  for (const site of masked) {
    const near = graph.neighbours(site);
    const missing = near.filter((name) => !present.has(name));
    const lacking = graph.threshold - (near.length - missing.length);
    if (lacking <= 0) continue;
    return comeBack(
      `too few neighbours of ${site} have sent ${what} to take off its mask later`,
      lacking,
      missing,
    );
  }
  return undefined;
}

function comeBack(why: string, count: number, sites: readonly string[]): Failure {
  return {
    problem: `${why}: ${count} of these must come back: ${sites.join(', ')}`,
    remedy: 'ask them to run the same join again',
  };
}

/** The digest of the view that every site of the total must sign. */
export function fixedView({ study }: MaskStudy, fixed: FixedStages): string {
  const { keys, shares, contributions } = fixed;
  if (keys === undefined || shares === undefined || contributions === undefined) {
    throw tooEarly('contributions');
  }
  return viewDigest(graphDigest(study, keys), shares, contributions);
}

/** Refuses a signature of another view, or of a site that is not in the total. */
export function refuseSurvivors(
  masks: MaskStudy,
  fixed: FixedStages,
  { site, view }: Pick<SealedMaskSurvivors, 'site' | 'view'>,
): void {
  if (view !== fixedView(masks, fixed)) throw malformed('it is about another set of sites');
  const survivors = siteSet(masks.terms.roster, fixed.contributions!) ?? [];
  if (!survivors.includes(site)) throw malformed('its site is not in the total');
}

/** Refuses shares of other sites than the neighbours, or of the wrong kind. */
export function refuseReveals(
  masks: MaskStudy,
  fixed: FixedStages,
  message: SealedMaskReveals,
): void {
  refuseSurvivors(masks, fixed, message);
  const { site, own, pair } = message;
  const near = new Set(fixedGraph(masks, fixed).neighbours(site));
  const dealers = new Set(siteSet(masks.terms.roster, fixed.shares!));
  const survivors = new Set(siteSet(masks.terms.roster, fixed.contributions!));
  const known = (name: string) => near.has(name) && dealers.has(name);
  const right =
    Object.keys(own).every((name) => known(name) && survivors.has(name)) &&
    Object.keys(pair).every((name) => known(name) && !survivors.has(name));
  if (!right) throw malformed('it has a share that is not asked for');
  const shares = [...Object.values(own), ...Object.values(pair)];
  if (!shares.every((text) => fromBase64url(text)?.length === shareBytes)) {
    throw malformed('a share has another size');
  }
}

/** The refusal of a message before its stage. */
export function tooEarly(stage: string): Refusal {
  return new Refusal(
    'conflict',
    `the stage of ${stage} is not over`,
    'join again; the command waits for the stage',
  );
}
