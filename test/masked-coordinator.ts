import type { Caller } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import type { Store } from '../src/coordinator/store.ts';
import { agreement, contribution } from '../src/federate.ts';
import type { MaskMessage, SealedMaskReveals } from '../src/protocol/mask-messages.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution, firstNumbering } from '../src/statistic/envelope.ts';
import { fromBase64url, toBase64url } from '../src/text/base64url.ts';
import { anyStudy, type Clock, operator, table } from './coordinator-study.ts';
import { MaskSite } from './mask-sites.ts';
import { summaryOf } from './tables.ts';

interface MaskedOptions {
  readonly clock?: Clock;
  readonly deadline?: string;
  readonly stageMinutes?: number;
}

/** A study on a coordinator whose five sites agree on masks. */
export async function maskedStudy(store: Store, { clock, deadline, ...more }: MaskedOptions = {}) {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const keys = names.map((name) => [name, createSigningKey()] as const);
  const roster = Object.fromEntries(keys.map(([name, { key }]) => [name, key]));
  const study = {
    ...anyStudy(deadline === undefined ? undefined : { deadline }),
    aggregation: { kind: 'pairwise-masks', roster, minimumSites: 4, ...more },
  } as const;
  const coordinator = await createCoordinator({
    store,
    ...(clock === undefined ? {} : { now: clock.now }),
  });
  const { id } = await coordinator.create(operator, { study, sites: names });
  const agreed = agreement(study);
  const masks = { study: agreed.digest, terms: agreed.aggregation.masks! };
  const sites = keys.map(([name, key]) => new MaskSite(name, key, masks));
  const as = (site: MaskSite): Caller => ({ role: 'site', study: id, site: site.name });
  const send = (site: MaskSite, message: MaskMessage, by = site) =>
    coordinator.sendMasks(as(by), id, message);
  const ask = (site: MaskSite, stage: Parameters<typeof coordinator.masks>[2]) =>
    coordinator.masks(as(site), id, stage);
  return {
    ...{ coordinator, id, agreed, sites, as, send, ask },
    stored: async () => (await store.db.selectFrom('mask_messages').selectAll().execute()).length,
    async deal(site: MaskSite) {
      return send(site, await site.shares((await ask(site, 'keys')).graph!));
    },
    /** Its masked contribution of some rows. */
    async file(site: MaskSite, some: readonly number[], turn = firstNumbering) {
      const { dealt } = await ask(site, 'shares');
      const mask = site.mask(dealt!, agreed.layout);
      const summary = summaryOf(agreed as never, table, some);
      const made = contribution(agreed, site.name, summary, turn, mask);
      return encodeContribution(signContribution(made, site.key));
    },
    contribute: (site: MaskSite, file: Uint8Array) => coordinator.contribute(as(site), id, file),
    /** All sign, and give out their shares; a liar gives out wrong ones. */
    async help(all: readonly MaskSite[], liar?: string) {
      for (const site of all) {
        const { survivors } = await ask(site, 'contributions');
        await send(site, site.survivors(survivors!));
      }
      for (const site of all) {
        const { signed } = await ask(site, 'survivors');
        const reveals = site.reveals(signed!)!;
        await send(site, site.name === liar ? spoiled(site, reveals) : reveals);
      }
    },
  };
}

/** Reveals with a wrong share of the first neighbour. */
function spoiled({ key }: MaskSite, { seal: _, ...reveals }: SealedMaskReveals): MaskMessage {
  const [[name, text], ...rest] = Object.entries(reveals.own);
  const share = fromBase64url(text)!;
  share[0] ^= 1;
  const own = Object.fromEntries([[name, toBase64url(share)], ...rest]);
  return sealDocument({ ...reveals, own }, key);
}
