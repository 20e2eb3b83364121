import { fromBase64, toBase64 } from '../text/base64.ts';
import { boundedJson } from '../text/bounded-json.ts';
import type { LinkPass } from './link-rows.ts';

/** What a party learns from the helper: which of its rows are linked, in the common order, and its random numbers. */
export interface LinkedPart {
  readonly people: number;
  /** Of each pass: people linked, and the party's own rows that share their key. */
  readonly passes: readonly { readonly linked: number; readonly duplicates: number }[];
  /** Places of the linked rows among those that the party offered. */
  readonly rows: Uint32Array;
  /** By the other party of each pair: a seed, and for the right side R₂. */
  readonly deals: Readonly<
    Record<string, { readonly seed: Uint8Array; readonly correction?: Uint8Array }>
  >;
}

/** A party's part of the passes. */
export function ownPasses(passes: readonly LinkPass[], party: number): LinkedPart['passes'] {
  return passes.map(({ linked, duplicates }) => ({ linked, duplicates: duplicates[party] }));
}

export function linkedPartBytes({ people, passes, rows, deals }: LinkedPart): Uint8Array {
  const json = {
    ...{ people, passes },
    rows: toBase64(new Uint8Array(rows.slice().buffer)),
    deals: Object.fromEntries(
      Object.entries(deals).map(([party, { seed, correction }]) => [
        party,
        { seed: toBase64(seed), ...(correction && { correction: toBase64(correction) }) },
      ]),
    ),
  };
  return new TextEncoder().encode(JSON.stringify(json));
}

/** The part in an opened answer; undefined if it is none for this many offered rows. */
export function linkedPartIn(bytes: Uint8Array, offered: number): LinkedPart | undefined {
  try {
    const json = boundedJson(new TextDecoder().decode(bytes)) as {
      people: number;
      passes: LinkedPart['passes'];
      rows: string;
      deals: Record<string, { seed: string; correction?: string }>;
    };
    const rows = new Uint32Array(fromBase64(json.rows).buffer);
    const isOrder =
      rows.length === json.people &&
      new Set(rows).size === rows.length &&
      rows.every((row) => row < offered);
    if (!isOrder || !json.passes.every(isPass)) return undefined;
    const deals = Object.fromEntries(
      Object.entries(json.deals).map(([party, { seed, correction }]) => [
        party,
        {
          seed: fromBase64(seed),
          ...(correction === undefined ? {} : { correction: fromBase64(correction) }),
        },
      ]),
    );
    const passes = json.passes.map(({ linked, duplicates }) => ({ linked, duplicates }));
    return { people: json.people, passes, rows, deals };
  } catch {
    return undefined;
  }
}

/** Counts are shown to people, so they must be numbers. */
function isPass({ linked, duplicates }: LinkedPart['passes'][number]): boolean {
  return [linked, duplicates].every((count) => Number.isSafeInteger(count) && count >= 0);
}
