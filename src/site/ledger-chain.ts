import type { ReleasedColumn, ReleaseOutcome } from '../disclosure/release.ts';
import type { Charged } from '../disclosure/spent.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import { digestBytes } from '../study/digest.ts';
import type { SiteSecret } from './site-secret.ts';

/** The facts of a release. */
export interface Release extends ContributionNumbering {
  /** Digest of the study. */
  readonly study: string;
  readonly site: string;
  readonly rows: number;
  readonly numbers: number;
  readonly bytes: number;
  /** Digest of the contribution's file. */
  readonly digest: string;
  /** The columns it was made from, with the weights, in the order of its tags. */
  readonly columns?: readonly ReleasedColumn[];
  /** `cells` if its tags are of what cells say; those of earlier versions are of numbers and level codes. */
  readonly tagForm?: 'cells';
  /** Rows of the file, with those that were not used. */
  readonly fileRows?: number;
  /** The id column by which its persons were tagged. */
  readonly person?: string;
  /** The column of weights, and the labels of the statistic's columns. */
  readonly weights?: string;
  readonly labels?: readonly string[];
  /** In a private study: the budget it cost its rows. Absent for an exact release. */
  readonly charge?: Omit<Charged, 'study' | 'site'>;
  /** For counts of an evaluation: digest of the report of the model. Absent for a contribution. */
  readonly evaluated?: string;
  /** In a private study: digests of earlier private releases that share, or may share, a row with it. */
  readonly shared?: readonly string[];
}

/** A line of the ledger. */
export interface LedgerLine extends Release {
  readonly at: string;
  /** Where the file went: to a coordinator, or into a file. */
  readonly to: string;
  /** If absent, it follows from `to`. */
  readonly outcome?: ReleaseOutcome;
  /** Digest of the file with the tags of its rows. */
  readonly tags?: string;
  /** Digest of the file with the tags of its persons. */
  readonly people?: string;
  /** Digests of the files with the tags of its rows over the columns of earlier releases, by their digests. */
  readonly over?: Readonly<Record<string, string>>;
}

/** Why a ledger cannot be trusted: a sentence that names the place. */
export interface BrokenChain {
  readonly problem: string;
}

/** An intact ledger. */
export interface SoundChain {
  readonly lines: number;
  /** Digest of the last line, which the next line must name. */
  readonly last: string;
  /** Whether the head is up to date; after a crash it may be one line behind. */
  readonly headed: boolean;
}

const SEALED = /^(.*),"mac":"([0-9a-f]{64})"\}$/;

/** JSON with the HMAC of its text as the last key. */
function sealed(value: object, secret: SiteSecret): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"mac":"${secret.seal(text)}"}`;
}

/** The JSON of a sealed text; undefined if it was not sealed with this secret or was changed. */
function opened<T>(text: string, secret: SiteSecret): T | undefined {
  const [, body, mac] = SEALED.exec(text) ?? [];
  if (body === undefined || secret.seal(`${body}}`) !== mac) return undefined;
  return JSON.parse(`${body}}`);
}

/** A ledger line as it is written: with the digest of the line before it, and sealed. */
export function chainedLine(line: LedgerLine, previous: string, secret: SiteSecret): string {
  return sealed({ ...line, previous }, secret);
}

/** The digest of a line, which the next line names. */
export function lineDigest(text: string): string {
  return digestBytes(new TextEncoder().encode(text));
}

/** The content of ledger.head: the number of lines and the digest of the last. */
export function headText(lines: number, last: string, secret: SiteSecret): string {
  return `${sealed({ schema: 'suffice/ledger-head@1', lines, last }, secret)}\n`;
}

/** Lines from before the ledger was chained; the first line or head after them seals them together. */
export function unchained(texts: readonly string[]): readonly string[] {
  const first = texts.findIndex((text) => SEALED.test(text));
  return first < 0 ? texts : texts.slice(0, first);
}

/** The digest of all lines from before the chain. */
export function prefixDigest(prefix: readonly string[]): string {
  return lineDigest(prefix.map((text) => `${text}\n`).join(''));
}

/** Checks the seals from the first line to the head. */
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
        problem: `line ${k + 1} of ledger.jsonl does not follow the lines before it: lines were changed, removed, added or moved`,
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
  return { problem: 'ledger.jsonl has other lines than ledger.head says' };
}
