import { DataError } from '../../src/data-error.ts';
import { defined } from '../../src/defined.ts';
import type { SealedErasure, SealedReceipt } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { createSigningKey, type SigningKey, signingKey } from '../../src/protocol/signature.ts';
import type { SourceVersion } from '../../src/rows/source.ts';
import type { Release } from '../../src/site/ledger-chain.ts';
import { pastReleases } from '../../src/site/past-releases.ts';
import {
  type Pending,
  readOtherTags,
  refuseUnreviewed,
  type SiteStore,
  type TagDigests,
  tagDigests,
} from '../../src/site/site-store.ts';
import { digestBytes } from '../../src/study/digest.ts';
import { browserLedger, doubtOf, keepingTags } from './browser-ledger.ts';
import { type Change, openBrowserStore } from './browser-store.ts';

/** A site's key, ledger, outbox and receipts in the browser's storage. Clearing the page's data deletes them. */
export interface BrowserSiteStore extends SiteStore {
  /** The ledger as it was sealed, line by line. */
  ledgerText(): Promise<string>;
  /** Receipts of a site in a study, oldest first. */
  receipts(study: string, site: string): Promise<readonly KeptReceipt[]>;
  keepErasure(erasure: SealedErasure): Promise<void>;
}

/** A receipt as the coordinator sealed it, and as text. */
export interface KeptReceipt {
  readonly receipt: SealedReceipt;
  readonly text: string;
}

interface Held extends TagDigests {
  readonly release: Release;
  readonly source: SourceVersion;
  readonly approvedAt: string;
  readonly file: Uint8Array;
}

const KEY = 'key.json';
const KEY_SCHEMA = 'suffice/signing-key@1';

/** Opens the site's store in this browser. Throws if the browser stores nothing for this page. */
export async function openBrowserSiteStore(): Promise<BrowserSiteStore> {
  const store = await openBrowserStore();
  const ledger = browserLedger(store);
  const locked = <T>(work: () => Promise<T>): Promise<T> =>
    navigator.locks.request('suffice home', work) as Promise<T>;
  const waiting = async () =>
    (await store.all<Held>('outbox'))
      .map(([, held]) => held)
      .sort((a, b) => a.approvedAt.localeCompare(b.approvedAt));
  const tagsOf = (held: readonly Held[]) => held.flatMap(tagDigests);
  const keptReceipts = async (study: string, site: string): Promise<readonly KeptReceipt[]> => {
    const kept = (await store.all<KeptReceipt | SealedErasure>('receipts')).flatMap(([, one]) =>
      'receipt' in one ? [one] : [],
    );
    return kept
      .filter(({ receipt }) => receipt.study === study && receipt.site === site)
      .sort((a, b) => a.receipt.sequence - b.receipt.sequence);
  };

  return {
    key: () => locked(readOrMakeKey),
    ledger: ledger.lines,
    ledgerText: async () => (await ledger.texts()).map((text) => `${text}\n`).join(''),
    record: (line, tags, reviewed, others) =>
      locked(async () => {
        const changes = await ledger.recording(line, tags, others);
        if (changes.length === 0) return;
        refuseUnreviewed(await ledger.lines(), await waiting(), reviewed);
        await store.change(changes);
      }),
    tagKey: () => locked(ledger.tagKey),
    verify: () =>
      locked(async () => {
        const held = await waiting();
        const problem = await ledger.doubt(tagsOf(held));
        if (problem !== undefined) return problem;
        const known = new Set([
          ...(await ledger.lines()).map(({ digest }) => digest),
          ...held.map(({ release }) => release.digest),
        ]);
        for (const [name, kept] of await store.all<KeptReceipt | SealedErasure>('receipts')) {
          if (!('receipt' in kept) || known.has(kept.receipt.digest)) continue;
          return doubtOf(`it has no line for receipt ${name}`);
        }
        return undefined;
      }),
    waiting,
    // The outbox first: a release recorded in between is then in the ledger.
    async past() {
      const held = await waiting();
      return pastReleases(await ledger.lines(), held, ledger.tags);
    },
    async pending(study, site) {
      const held = await store.get<Held>('outbox', placeOf(study, site));
      if (held === undefined || digestBytes(held.file) !== held.release.digest) return undefined;
      const { tags: rows, people: _people, over: _over, ...rest } = held;
      const tags = rows === undefined ? undefined : await ledger.tags(rows);
      return { ...rest, ...defined({ tags }), ...(await readOtherTags(held, ledger.tags)) };
    },
    queue: (pending, reviewed) =>
      locked(async () => {
        refuseUnreviewed(await ledger.lines(), await waiting(), reviewed);
        const { study, site } = pending.release;
        const [held, ...changes] = holding(pending);
        await store
          .change([{ shelf: 'outbox', name: placeOf(study, site), value: held }, ...changes])
          .catch(refuseUnsent);
      }),
    discard: (study, site) =>
      locked(async () => {
        const name = placeOf(study, site);
        const others = await store.all<Held>('outbox');
        const kept = others.filter(([place]) => place !== name).map(([, held]) => held);
        await store.change([{ shelf: 'outbox', name }, ...(await ledger.dropping(tagsOf(kept)))]);
      }),
    training: (study, site) => store.get<string>('own', trainingOf(study, site)),
    keepTraining: (study, site, value) =>
      store.change([{ shelf: 'own', name: trainingOf(study, site), ...defined({ value }) }]),
    masks: (study, site) => store.get<string>('own', masksOf(study, site)),
    keepMasks: (study, site, value) =>
      store.change([{ shelf: 'own', name: masksOf(study, site), value }]),
    async keepReceipt(receipt, text) {
      const name = `${placeOf(receipt.study, receipt.site)} ${receipt.sequence}`;
      await store.change([
        { shelf: 'receipts', name, value: { receipt, text } },
        { shelf: 'own', name: trainingOf(receipt.study, receipt.site) },
      ]);
      return 'in this browser';
    },
    async acknowledged(study, site) {
      return (await keptReceipts(study, site)).map(({ receipt }) => receipt);
    },
    receipts: keptReceipts,
    async keepErasure(erasure) {
      const name = `${placeOf(erasure.study, erasure.site)} erasure ${erasure.audit.position}`;
      await store.change([{ shelf: 'receipts', name, value: erasure }]);
    },
  };

  /** Several tabs may ask at once for the first time: all get the same key. */
  async function readOrMakeKey(): Promise<SigningKey> {
    const text = await store.get<string>('own', KEY);
    if (text === undefined) {
      const made = createSigningKey();
      const value = JSON.stringify({ schema: KEY_SCHEMA, ...made });
      await store.change([{ shelf: 'own', name: KEY, value }]);
      return made;
    }
    try {
      const { schema, secret } = JSON.parse(text);
      if (schema === KEY_SCHEMA) return signingKey(secret);
    } catch {
      // thrown below
    }
    throw new DataError(
      'the signing key of this browser cannot be read',
      {},
      'ask the analyst for an invitation that forgets the old key, and use it with the command line: npx suffice join',
    );
  }
}

/** Name of a waiting contribution in the outbox. */
function trainingOf(study: string, site: string): string {
  return `training ${placeOf(study, site)}`;
}

function masksOf(study: string, site: string): string {
  return `masks ${placeOf(study, site)}`;
}

function placeOf(study: string, site: string): string {
  return `${study} ${site}`;
}

/** A contribution that could not be stored is not sent: the error says so. */
function refuseUnsent(error: unknown): never {
  if (!(error instanceof Refusal)) throw error;
  throw new Refusal(error.code, `${error.message}; nothing was sent`, error.remedy);
}

function holding({ tags, people, over, ...rest }: Pending): [Held, ...Change[]] {
  const { names, changes } = keepingTags(tags, defined({ people, over }));
  return [{ ...rest, ...names }, ...changes];
}
