import type { MaskTerms } from '../aggregation/aggregation.ts';
import {
  type MaskState,
  maskStateIn,
  maskStateText,
  newMaskState,
  spent,
} from '../masks/mask-state.ts';
import {
  keysMessage,
  siteMask,
  survivorsMessage,
  withGraph,
  withShares,
  withSignatures,
  withSurvivors,
} from '../masks/site-masks.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { MaskStage, MaskStageName } from '../protocol/mask-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sleep } from '../protocol/sleep.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { Joined, JoinNotice, SiteMembership } from './join.ts';
import { requireRosterKey } from './roster-key.ts';
import type { SiteStore } from './site-store.ts';
import { receiptText } from './study-text.ts';

/** What a site needs to agree on masks with the others. */
export interface MaskExchange {
  readonly client: Pick<StudyClient, 'masks' | 'sendMasks'>;
  readonly membership: Pick<SiteMembership, 'agreed' | 'site'>;
  readonly store: Pick<SiteStore, 'key' | 'masks' | 'keepMasks'>;
  readonly notice: JoinNotice;
  /** Stops waiting. */
  readonly signal?: AbortSignal;
}

/** The state of this site's masks in the study; a new one unless there is one. */
export async function maskStateOf({
  membership: { agreed, site },
  store,
}: Pick<MaskExchange, 'membership' | 'store'>): Promise<MaskState> {
  if (store.keepMasks === undefined) throw new RangeError('masks need a store that keeps them');
  const text = await store.masks?.(agreed.digest, site);
  if (text === undefined) return newMaskState(agreed.digest, site);
  const state = maskStateIn(text, agreed.digest, site);
  if (state !== undefined) return state;
  throw new Refusal(
    'conflict',
    'the stored masks of this site cannot be read',
    'restore the folder of the site from a backup, or ask for a new study',
  );
}

/** Stores a state before anything that follows from it is sent. */
async function kept(exchange: MaskExchange, state: MaskState): Promise<MaskState> {
  const { agreed, site } = exchange.membership;
  await exchange.store.keepMasks?.(agreed.digest, site, maskStateText(state));
  return state;
}

function termsOf({ agreed }: Pick<SiteMembership, 'agreed'>): MaskTerms {
  const { masks } = agreed.aggregation;
  if (masks === undefined) throw new RangeError('the sites of the study agree on no masks');
  return masks;
}

/** Agrees on masks with the other sites and waits for them; returns this site's mask. Sends nothing about the file. */
export async function agreeOnMask(exchange: MaskExchange): Promise<RingVector> {
  const { client, membership, store } = exchange;
  const terms = termsOf(membership);
  const key = await store.key();
  requireRosterKey(membership, key.key);
  let state = await maskStateOf(exchange);
  refuseUsed(state);
  if (state.graph === undefined) {
    await kept(exchange, state);
    await client.sendMasks(keysMessage(state, key));
    const { graph } = await over(exchange, 'keys', ({ graph }) => graph !== undefined);
    state = await kept(exchange, await withGraph(terms, state, graph!, key));
  }
  if (state.dealt === undefined) {
    await client.sendMasks(state.graph!.message);
    const { dealt } = await over(exchange, 'shares', ({ dealt }) => dealt !== undefined);
    state = await kept(exchange, withShares(terms, state, dealt!));
  }
  return siteMask(terms, state, membership.agreed.layout);
}

function refuseUsed({ used }: MaskState): void {
  if (used !== true) return;
  throw new Refusal(
    'conflict',
    'the mask of this site has hidden a contribution: a second one under it would show the difference',
    'ask the analyst for a new study',
  );
}

/** Notes that the mask is used, before the contribution is sent. */
export async function useMask(exchange: MaskExchange): Promise<void> {
  const state = await maskStateOf(exchange);
  if (state.used !== true) await kept(exchange, { ...state, used: true });
}

/** The acknowledged contribution of a site that must still help to open the total; undefined if there is none. */
export async function acknowledgedBefore(
  exchange: MaskExchange & { readonly store: SiteStore },
): Promise<Joined | undefined> {
  const { membership, store } = exchange;
  const { agreed, site } = membership;
  const { used, done } = await maskStateOf(exchange);
  if (used !== true || done === true) return undefined;
  const [receipt] = await store.acknowledged(agreed.digest, site);
  const line = (await store.ledger()).find(({ digest }) => digest === receipt?.digest);
  if (receipt === undefined || line === undefined) return undefined;
  const { at: _, to: __, outcome: ___, ...release } = line;
  const kept = await store.keepReceipt(receipt, receiptText(receipt, agreed));
  return { release, receipt, kept };
}

/** After the contribution: waits until the study has closed, signs who takes part, and helps to take off the masks. */
export async function helpToOpen(exchange: MaskExchange): Promise<void> {
  const { client, membership, store } = exchange;
  const terms = termsOf(membership);
  const key = await store.key();
  let state = await maskStateOf(exchange);
  if (state.view === undefined) {
    const { survivors } = await over(
      exchange,
      'contributions',
      (one) => one.survivors !== undefined,
    );
    state = await kept(exchange, withSurvivors(terms, state, survivors!));
  }
  if (state.reveals === undefined) {
    await client.sendMasks(survivorsMessage(state, key));
    const before = state;
    let next: MaskState | undefined;
    await over(exchange, 'survivors', ({ signed = [] }) => {
      next = withSignatures(terms, before, signed, key);
      return next !== undefined;
    });
    state = await kept(exchange, next!);
  }
  await client.sendMasks(state.reveals!);
  await kept(exchange, spent(state));
  exchange.notice('masks: done; the coordinator can open the total once enough sites have helped');
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

const waitingFor: Readonly<Record<MaskStageName, string>> = {
  keys: 'keys of the sites',
  shares: 'shares of the sites',
  contributions: 'contributions; you can stop here and run the same command again later',
  survivors: 'signatures of the sites',
  reveals: 'shares to open the total',
};

/** Asks for a stage until it is over; tells the person how far it is. */
async function over(
  { client, notice, signal }: MaskExchange,
  stage: MaskStageName,
  isOver: (stage: MaskStage) => boolean,
): Promise<MaskStage> {
  let said = '';
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, 1.5 * wait)) {
    const now = await checked(await client.masks(stage));
    const text = `masks: ${now.arrived} of ${now.expected} ${waitingFor[stage]}`;
    if (text !== said) notice(text);
    said = text;
    if (isOver(now)) return now;
    await sleep(wait, signal);
  }
}

/** An answer in the form that it must have. */
async function checked(answer: MaskStage): Promise<MaskStage> {
  const { messageSchemas } = await import('../protocol/answer-schemas.ts');
  if (messageSchemas.MaskStage.safeParse(answer).success) return answer;
  throw new Refusal(
    'unprocessable',
    'the coordinator’s answer about masks is not in order; nothing more was sent',
    'ask the operator of the coordinator',
  );
}
