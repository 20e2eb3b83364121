import type { MaskTerms, PartyAnswer } from '../src/aggregation/aggregation.ts';
import type { Failure } from '../src/failure.ts';
import {
  type FixedStages,
  fixContributions,
  fixedGraph,
  fixKeys,
  fixShares,
  graphPart,
  type MaskStudy,
  refuseReveals,
  refuseShares,
  refuseSurvivors,
  refuseUnsigned,
} from '../src/masks/mask-stages.ts';
import {
  type MaskState,
  maskStateIn,
  maskStateText,
  newMaskState,
} from '../src/masks/mask-state.ts';
import { type OpenedMasks, openMasks } from '../src/masks/open-masks.ts';
import {
  keysMessage,
  siteMask,
  survivorsMessage,
  withGraph,
  withShares,
  withSignatures,
  withSurvivors,
} from '../src/masks/site-masks.ts';
import type {
  MaskGraphPart,
  MaskSharesPart,
  SealedMaskKeys,
  SealedMaskReveals,
  SealedMaskShares,
  SealedMaskSurvivors,
} from '../src/protocol/mask-messages.ts';
import { createSigningKey, type SigningKey } from '../src/protocol/signature.ts';
import type { Layout } from '../src/statistic/layout.ts';
import type { RingVector } from '../src/statistic/ring.ts';

/** A site in memory. Its state goes through its text at each step, as if the process were killed after it. */
export class MaskSite {
  readonly name: string;
  readonly key: SigningKey;
  readonly terms: MaskTerms;
  state: MaskState;

  constructor(name: string, key: SigningKey, masks: MaskStudy) {
    this.name = name;
    this.key = key;
    this.terms = masks.terms;
    this.state = newMaskState(masks.study, name);
  }

  private keep(state: MaskState): MaskState {
    this.state = maskStateIn(maskStateText(state), state.study, state.site)!;
    return this.state;
  }

  keys(): SealedMaskKeys {
    return keysMessage(this.state, this.key);
  }

  async shares(part: MaskGraphPart): Promise<SealedMaskShares> {
    return this.keep(await withGraph(this.terms, this.state, part, this.key)).graph!.message;
  }

  mask(part: MaskSharesPart, layout: Layout): RingVector {
    const state = this.keep({ ...withShares(this.terms, this.state, part), used: true });
    return siteMask(this.terms, state, layout);
  }

  survivors(text: string): SealedMaskSurvivors {
    return survivorsMessage(this.keep(withSurvivors(this.terms, this.state, text)), this.key);
  }

  reveals(signed: readonly SealedMaskSurvivors[]): SealedMaskReveals | undefined {
    const state = withSignatures(this.terms, this.state, signed, this.key);
    return state && this.keep(state).reveals;
  }
}

/** Sites of a roster, and the study whose masks they make. */
export function maskSites(
  count: number,
  more: Partial<MaskTerms> = {},
): { readonly masks: MaskStudy; readonly sites: readonly MaskSite[] } {
  const keys = Array.from({ length: count }, (_, k) => [`site ${k}`, createSigningKey()] as const);
  const roster = Object.fromEntries(keys.map(([name, { key }]) => [name, key]));
  const terms: MaskTerms = { roster, minimumSites: 3, threshold: 0.7, stageMinutes: 60, ...more };
  const masks = { study: `sha256:${'5'.repeat(64)}`, terms };
  return { masks, sites: keys.map(([name, key]) => new MaskSite(name, key, masks)) };
}

/** An honest server in memory: it keeps messages and what it fixed. */
export class MaskServer {
  readonly masks: MaskStudy;
  fixed: FixedStages = {};
  readonly keys = new Map<string, SealedMaskKeys>();
  readonly shares = new Map<string, SealedMaskShares>();
  readonly signed = new Map<string, SealedMaskSurvivors>();
  readonly reveals = new Map<string, SealedMaskReveals>();

  constructor(masks: MaskStudy) {
    this.masks = masks;
  }

  takeKeys(message: SealedMaskKeys): void {
    refuseUnsigned(this.masks, message);
    this.keys.set(message.site, message);
  }

  endKeys(): Failure | undefined {
    const keys = fixKeys(this.masks, [...this.keys.values()]);
    if ('problem' in keys) return keys;
    this.fixed = { keys };
    return undefined;
  }

  graphFor(site: string): MaskGraphPart {
    const near = fixedGraph(this.masks, this.fixed).neighbours(site);
    const keys = near.map((name) => this.keys.get(name)!);
    return graphPart(this.masks, this.fixed, keys, site);
  }

  takeShares(message: SealedMaskShares): void {
    refuseUnsigned(this.masks, message);
    refuseShares(this.masks, this.fixed, message);
    this.shares.set(message.site, message);
  }

  endShares(): Failure | undefined {
    const shares = fixShares(this.masks, this.fixed, [...this.shares.keys()]);
    if (typeof shares !== 'string') return shares;
    this.fixed = { ...this.fixed, shares };
    return undefined;
  }

  sharesFor(site: string): MaskSharesPart {
    const near = fixedGraph(this.masks, this.fixed).neighbours(site);
    const sent = near.flatMap((name) => {
      const share = this.shares.get(name)?.shares[site];
      return share === undefined ? [] : [[name, share]];
    });
    return { present: this.fixed.shares!, shares: Object.fromEntries(sent) };
  }

  endContributions(sites: readonly string[]): Failure | undefined {
    const contributions = fixContributions(this.masks, this.fixed, sites);
    if (typeof contributions !== 'string') return contributions;
    this.fixed = { ...this.fixed, contributions };
    return undefined;
  }

  takeSurvivors(message: SealedMaskSurvivors): void {
    refuseUnsigned(this.masks, message);
    refuseSurvivors(this.masks, this.fixed, message);
    this.signed.set(message.site, message);
  }

  signaturesFor(site: string): SealedMaskSurvivors[] {
    const near = fixedGraph(this.masks, this.fixed).neighbours(site);
    return near.flatMap((name) => this.signed.get(name) ?? []);
  }

  takeReveals(message: SealedMaskReveals): void {
    refuseUnsigned(this.masks, message);
    refuseReveals(this.masks, this.fixed, message);
    this.reveals.set(message.site, message);
  }

  open(layout: Layout): Promise<OpenedMasks | Failure> {
    return openMasks(this.masks, this.fixed, this, layout);
  }
}

/** Sites that stop before a stage, by name. */
export interface Gone {
  readonly keys?: ReadonlySet<string>;
  readonly shares?: ReadonlySet<string>;
  readonly contributions?: ReadonlySet<string>;
  readonly survivors?: ReadonlySet<string>;
  readonly reveals?: ReadonlySet<string>;
}

/** Masks by site, and the server's answer; or why there is none. */
export interface MaskRun {
  readonly server: MaskServer;
  /** Of the sites in the total. */
  readonly used: ReadonlyMap<string, RingVector>;
  readonly answer: PartyAnswer | Failure;
}

/** Runs all stages. `inOrder` is the order in which the messages of a stage arrive. */
export async function runMasks(
  masks: MaskStudy,
  sites: readonly MaskSite[],
  layout: Layout,
  gone: Gone = {},
  inOrder: (sites: readonly MaskSite[]) => readonly MaskSite[] = (all) => all,
): Promise<MaskRun> {
  const server = new MaskServer(masks);
  const used = new Map<string, RingVector>();
  const without = (all: readonly MaskSite[], left?: ReadonlySet<string>) =>
    inOrder(all.filter(({ name }) => left?.has(name) !== true));
  let there = without(sites, gone.keys);
  for (const site of there) server.takeKeys(site.keys());
  const few = server.endKeys();
  if (few !== undefined) return { server, used, answer: few };
  there = without(there, gone.shares);
  for (const site of there) server.takeShares(await site.shares(server.graphFor(site.name)));
  const fewer = server.endShares();
  if (fewer !== undefined) return { server, used, answer: fewer };
  there = without(there, gone.contributions);
  for (const site of there) used.set(site.name, site.mask(server.sharesFor(site.name), layout));
  const fewest = server.endContributions([...used.keys()]);
  if (fewest !== undefined) return { server, used, answer: fewest };
  there = without(there, gone.survivors);
  for (const site of there) server.takeSurvivors(site.survivors(server.fixed.contributions!));
  for (const site of without(there, gone.reveals)) {
    const reveals = site.reveals(server.signaturesFor(site.name));
    if (reveals !== undefined) server.takeReveals(reveals);
  }
  return { server, used, answer: await server.open(layout) };
}
