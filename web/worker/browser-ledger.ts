import { type RowTags, tagBytes, tagsFromBytes } from '../../src/disclosure/row-tags.ts';
import type { Failure } from '../../src/failure.ts';
import {
  chainedLine,
  checkChain,
  headText,
  type LedgerLine,
  lineDigest,
  prefixDigest,
  type SoundChain,
} from '../../src/site/ledger-chain.ts';
import { newSecretText, parseSecret, type SiteSecret } from '../../src/site/site-secret.ts';
import {
  type OtherTags,
  outcomeOf,
  refusalOf,
  type TagDigests,
  tagDigests,
} from '../../src/site/site-store.ts';
import { digestBytes } from '../../src/study/digest.ts';
import type { BrowserStore, Change } from './browser-store.ts';

/** Everything this browser has sent: a chain of sealed lines, and tags of the rows in each release. */
export interface BrowserLedger {
  /** The lines as they were sealed. */
  texts(): Promise<readonly string[]>;
  lines(): Promise<readonly LedgerLine[]>;
  /** The changes that record a line; none if the release is already recorded. Only while locked. Throws if the ledger is in doubt. */
  recording(line: LedgerLine, tags?: RowTags, others?: OtherTags): Promise<readonly Change[]>;
  /** The 128-bit key for row tags; only while locked. */
  tagKey(): Promise<Uint32Array>;
  tags(digest: string): Promise<RowTags | undefined>;
  /** A problem with the lines, or with tags that the lines or `others` refer to; only while locked. */
  doubt(others: readonly string[]): Promise<Failure | undefined>;
  /** The changes that remove unused tags: neither a line nor `others` refer to them. Only while locked. */
  dropping(others: readonly string[]): Promise<readonly Change[]>;
}

const SECRET = 'ledger.secret';
const HEAD = 'ledger.head';

interface Reading {
  readonly texts: readonly string[];
  /** Secret and chain of the lines; absent before the first use. */
  readonly seals?: { readonly secret: SiteSecret; readonly chain: SoundChain };
  readonly problem?: string;
}

export function browserLedger(store: BrowserStore): BrowserLedger {
  const texts = async () => (await store.all<string>('lines')).map(([, text]) => text);

  async function read(): Promise<Reading> {
    const lines = await texts();
    const secretText = await store.get<string>('own', SECRET);
    const head = await store.get<string>('own', HEAD);
    if (secretText === undefined) {
      return lines.length === 0 && head === undefined
        ? { texts: lines }
        : { texts: lines, problem: 'ledger.secret is missing' };
    }
    const secret = parseSecret(secretText);
    if (secret === undefined) return { texts: lines, problem: 'ledger.secret cannot be read' };
    if (head === undefined) return { texts: lines, problem: 'ledger.head is missing' };
    const chain = checkChain(lines, head, secret);
    if ('problem' in chain) return { texts: lines, problem: chain.problem };
    // Line and head are written in one transaction: an older head was restored from a copy.
    if (!chain.headed) return { texts: lines, problem: 'ledger.head is older than the lines' };
    return { texts: lines, seals: { secret, chain } };
  }

  /** Reads the ledger, and seals it at its first use. Throws if it is in doubt. */
  async function relyOn(): Promise<Reading & Required<Pick<Reading, 'seals'>>> {
    const { texts: lines, seals, problem } = await read();
    if (problem !== undefined) throw refusalOf(doubtOf(problem));
    if (seals !== undefined) return { texts: lines, seals };
    const text = newSecretText();
    const secret = parseSecret(text)!;
    const chain = { lines: 0, last: prefixDigest([]), headed: true };
    await store.change([
      { shelf: 'own', name: SECRET, value: text },
      { shelf: 'own', name: HEAD, value: headText(0, chain.last, secret) },
    ]);
    return { texts: lines, seals: { secret, chain } };
  }

  async function tags(digest: string): Promise<RowTags | undefined> {
    const bytes = await store.get<Uint8Array>('rows', digest);
    if (!(bytes instanceof Uint8Array) || digestBytes(bytes) !== digest) return undefined;
    return tagsFromBytes(bytes);
  }

  return {
    texts,
    tags,
    lines: async () => (await texts()).flatMap(parsed),
    async tagKey() {
      const { seals } = await relyOn();
      return seals.secret.tagKey;
    },
    async recording(line, rows, others = {}) {
      const { texts: before, seals } = await relyOn();
      if (before.flatMap(parsed).some((other) => isSame(other, line))) return [];
      const { names, changes } = keepingTags(rows, others);
      const { chain, secret } = seals;
      const tagged = { ...line, ...names };
      const text = chainedLine(tagged, chain.last, secret);
      const lines = chain.lines + 1;
      return [
        ...changes,
        { shelf: 'lines', name: lines, value: text },
        { shelf: 'own', name: HEAD, value: headText(lines, lineDigest(text), secret) },
      ];
    },
    async doubt(others) {
      const { texts: lines, problem } = await read();
      if (problem !== undefined) return doubtOf(problem);
      const known = [...lines.flatMap(parsed).flatMap(tagDigests), ...others];
      for (const digest of new Set(known)) {
        if ((await tags(digest)) === undefined)
          return doubtOf('row tags are missing or were changed');
      }
      return undefined;
    },
    async dropping(others) {
      const { texts: lines, problem } = await read();
      if (problem !== undefined) return [];
      const used = new Set([...lines.flatMap(parsed).flatMap(tagDigests), ...others]);
      const names = (await store.all('rows')).map(([name]) => String(name));
      return names.filter((name) => !used.has(name)).map((name) => ({ shelf: 'rows', name }));
    },
  };
}

/** The changes that store the tags of a release under their digests, and these digests. */
export function keepingTags(
  rows: RowTags | undefined,
  { people, over = {} }: OtherTags,
): { readonly names: TagDigests; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  const keep = (one: RowTags) => {
    const bytes = tagBytes(one);
    const name = digestBytes(bytes);
    changes.push({ shelf: 'rows', name, value: bytes });
    return name;
  };
  const kept = Object.entries(over).map(([digest, one]) => [digest, keep(one)] as const);
  const names = {
    ...(rows === undefined ? {} : { tags: keep(rows) }),
    ...(people === undefined ? {} : { people: keep(people) }),
    ...(kept.length === 0 ? {} : { over: Object.fromEntries(kept) }),
  };
  return { names, changes };
}

/** A problem with the ledger, and what to do: nothing more is sent. */
export function doubtOf(problem: string): Failure {
  return {
    problem,
    remedy:
      'nothing more is sent from this browser; save its ledger below, and ask the person responsible for your data how to go on',
  };
}

function isSame(a: LedgerLine, b: LedgerLine): boolean {
  const same = a.digest === b.digest && a.to === b.to && a.site === b.site;
  return same && outcomeOf(a) === outcomeOf(b);
}

function parsed(text: string): LedgerLine | readonly [] {
  try {
    return JSON.parse(text) ?? [];
  } catch {
    return []; // edited by hand; the check of the chain reports it
  }
}
