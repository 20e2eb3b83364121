import type { Charged } from '../disclosure/charge.ts';
import type { ReleasedColumn, ReleaseOutcome } from '../disclosure/history.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import { digestBytes } from '../study/digest.ts';
import type { SiteSecret } from './site-secret.ts';

/** What a release was. */
export interface Release extends ContributionTurn {
  /** Digest of the study. */
  readonly study: string;
  readonly site: string;
  readonly rows: number;
  readonly numbers: number;
  readonly bytes: number;
  /** Digest of the contribution's file. */
  readonly digest: string;
  /** The columns of the file it was made of, weights included, in the order of its tags. */
  readonly columns?: readonly ReleasedColumn[];
  /** The column of weights, and the labels of the statistic's columns. */
  readonly weights?: string;
  readonly labels?: readonly string[];
  /** What it cost its rows in a private study; an exact release has none. */
  readonly charge?: Omit<Charged, 'study' | 'site'>;
  /** Of a private one: digests of earlier private releases that share a row with it, or may. */
  readonly shared?: readonly string[];
}

/** A line of the ledger. */
export interface LedgerLine extends Release {
  readonly at: string;
  /** Where the file went: to a coordinator, or into a file. */
  readonly to: string;
  /** Unless given it is told by where the file went. */
  readonly outcome?: ReleaseOutcome;
  /** Digest of the file that keeps the tags of its rows. */
  readonly tags?: string;
}

/** Why a ledger cannot be relied on, as a sentence that says where. */
export interface BrokenChain {
  readonly problem: string;
}

/** A ledger that holds together. */
export interface SoundChain {
  readonly lines: number;
  /** What the next line must name as the one before it. */
  readonly last: string;
  /** Whether the head says so too; it is one line behind after a crash between the two. */
  readonly headed: boolean;
}

const SEALED = /^(.*),"mac":"([0-9a-f]{64})"\}$/;

/** JSON with the seal of its text as the last key. */
function sealed(value: object, secret: SiteSecret): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"mac":"${secret.seal(text)}"}`;
}

/** The JSON under a seal, or undefined where the text is not exactly what this secret sealed. */
function opened<T>(text: string, secret: SiteSecret): T | undefined {
  const [, body, mac] = SEALED.exec(text) ?? [];
  if (body === undefined || secret.seal(`${body}}`) !== mac) return undefined;
  return JSON.parse(`${body}}`);
}

/** A line as it is written: sealed, and naming the digest of the one before it. */
export function chainedLine(line: LedgerLine, previous: string, secret: SiteSecret): string {
  return sealed({ ...line, previous }, secret);
}

/** What the line after this one names it by. */
export function lineDigest(text: string): string {
  return digestBytes(new TextEncoder().encode(text));
}

/** The file beside the ledger that tells how many lines there are, and the digest of the last. */
export function headText(lines: number, last: string, secret: SiteSecret): string {
  return `${sealed({ schema: 'suffice/ledger-head@1', lines, last }, secret)}\n`;
}

/** Lines from before the ledger was chained; they are sealed as one by the first line or head after them. */
export function unchained(texts: readonly string[]): readonly string[] {
  const first = texts.findIndex((text) => SEALED.test(text));
  return first < 0 ? texts : texts.slice(0, first);
}

/** The digest that stands for all lines from before the chain. */
export function prefixDigest(prefix: readonly string[]): string {
  return lineDigest(prefix.map((text) => `${text}\n`).join(''));
}

/** Follows the seals from the first line to the head. */
export function checkChain(
  texts: readonly string[],
  head: string,
  secret: SiteSecret,
): SoundChain | BrokenChain {
  const prefix = unchained(texts);
  let last = prefixDigest(prefix);
  let before = last;
  for (let k = prefix.length; k < texts.length; k++) {
    const line = opened<{ previous: string }>(texts[k], secret);
    if (line === undefined) return { problem: `line ${k + 1} of ledger.jsonl was changed` };
    if (line.previous !== last) {
      return {
        problem: `line ${k + 1} of ledger.jsonl does not follow what stands before it: lines were changed, removed, added or moved`,
      };
    }
    before = last;
    last = lineDigest(texts[k]);
  }
  const top = opened<{ lines: number; last: string }>(head.trimEnd(), secret);
  if (top === undefined) return { problem: 'ledger.head was changed' };
  const lines = texts.length;
  if (top.lines === lines && top.last === last) return { lines, last, headed: true };
  const crashed = lines > prefix.length && top.lines === lines - 1 && top.last === before;
  if (crashed) return { lines, last, headed: false };
  if (top.lines > lines) {
    return { problem: `ledger.jsonl ends at line ${lines}; it had ${top.lines} lines` };
  }
  return { problem: 'ledger.jsonl has other lines than ledger.head tells of' };
}
