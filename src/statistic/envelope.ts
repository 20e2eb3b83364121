import { defined } from '../defined.ts';
import { bytesOf, entriesOf, gridOf, type Layout, shapeOf, wordsOf } from './layout.ts';
import { hasPackedEntries, packEntries, packedBytes, unpackEntries } from './packed-entries.ts';
import type { RingVector } from './ring.ts';
import { type Statistic, statisticView, wordsFromBytes } from './statistic.ts';

/** The number of a contribution among those of its site. */
export interface ContributionNumbering {
  /** Counts a site's contributions to a study from 1; each number is used once. */
  readonly sequence: number;
  /** `add` has rows that no earlier contribution had; `replace` replaces all earlier ones. */
  readonly mode: 'add' | 'replace';
}

/** The numbering of a site that sends once, as most do. */
export const firstNumbering: ContributionNumbering = { sequence: 1, mode: 'add' };

/** The fields of a contribution beside its numbers. */
export interface ContributionHeader extends ContributionNumbering {
  /** Digest of its study. */
  readonly study: string;
  readonly site: string;
  /** Rows that the site left out because of a missing cell. */
  readonly dropped: number;
  /**
   * 32 random bytes, base64url, in contributions to private studies and to those with a helper. Without them, exact sums could be
   * guessed and the guess checked against the digest.
   */
  readonly nonce?: string;
  /** The helper's share in a study with one, base64url: only the helper can open it. */
  readonly sealed?: string;
  /** Ed25519 public key of the site and its signature, base64url. */
  readonly seal?: Seal;
}

/** The signing key and the signature. */
export interface Seal {
  readonly key: string;
  readonly signature: string;
}

/** The one message of a site: its statistic, the study and site it belongs to, and a signature once it is signed. */
export interface Contribution extends ContributionHeader {
  readonly statistic: Statistic;
}

/** A decoded contribution, or why the bytes are refused. */
export type Decoded = { readonly contribution: Contribution } | { readonly refused: string };

const SCHEMA = 'suffice/contribution@1';
const TENSOR = 'statistic';
const HEADER_LIMIT = 65536;
/** How a header is padded with spaces. Every header fits the longer step, so that all files of a study have one length. */
export type HeaderLength = 'short' | 'the same for all';
const HEADER_STEPS: Readonly<Record<HeaderLength, number>> = { short: 8, 'the same for all': 1024 };
const METADATA = [
  'schema',
  'study',
  'site',
  'sequence',
  'mode',
  'dropped',
  'arithmetic',
  'grid',
] as const;

const OPTIONAL_METADATA = ['nonce', 'sealed', 'key', 'signature'] as const;
const KNOWN_METADATA: ReadonlySet<string> = new Set([...METADATA, ...OPTIONAL_METADATA]);
const TENSOR_KEYS = 'data_offsets,dtype,shape';
/** Most bytes of a header beyond its shortest spelling. */
const MOST_PADDING = 4096;

/**
 * A contribution as a safetensors file: u64 header length, JSON header, little-endian data.
 * The tensor holds 64-bit words, lowest first: shape [entries, words]; 32-bit words where their number is odd.
 */
export function encodeContribution(
  contribution: Contribution,
  length: HeaderLength = 'short',
): Uint8Array {
  const { statistic, seal, nonce, sealed } = contribution;
  const { layout } = statistic;
  const data = hasPackedEntries(shapeOf(layout))
    ? packEntries(shapeOf(layout), statistic.values)
    : statisticView(statistic);
  const header = JSON.stringify({
    __metadata__: {
      schema: SCHEMA,
      study: contribution.study,
      site: contribution.site,
      sequence: String(contribution.sequence),
      mode: contribution.mode,
      dropped: String(contribution.dropped),
      arithmetic: layout.arithmetic,
      grid: gridOf(layout),
      ...defined({ nonce, sealed }),
      ...seal,
    },
    [TENSOR]: {
      ...tensorOf(layout),
      data_offsets: [0, data.length],
    },
  });
  const json = new TextEncoder().encode(header);
  const step = HEADER_STEPS[length];
  const padded = Math.ceil(json.length / step) * step;
  const file = new Uint8Array(8 + padded + data.length);
  const view = new DataView(file.buffer);
  view.setBigUint64(0, BigInt(padded), true);
  file.fill(0x20, 8, 8 + padded);
  file.set(json, 8);
  file.set(data, 8 + padded);
  return file;
}

/** What a header says of the entries: 64-bit words each, 32-bit words where their number is odd, or bytes where they are packed. */
function tensorOf(layout: Layout): Pick<Header, 'dtype' | 'shape'> {
  if (hasPackedEntries(shapeOf(layout))) return { dtype: 'U8', shape: [sentBytes(layout), 1] };
  const [entries, words] = [entriesOf(layout), wordsOf(layout)];
  return words % 2 === 0
    ? { dtype: 'U64', shape: [entries, words / 2] }
    : { dtype: 'U32', shape: [entries, words] };
}

/** Whether the file has a nonce, as contributions to private studies have. False for what is no contribution. */
export function hasNonce(file: Uint8Array): boolean {
  if (file.length < 8) return false;
  const length = new DataView(file.buffer, file.byteOffset, file.byteLength).getBigUint64(0, true);
  if (length > BigInt(HEADER_LIMIT)) return false;
  const header = parseHeader(file.subarray(8, 8 + Number(length)));
  return typeof header !== 'string' && header.nonce !== undefined;
}

/** Most bytes of a valid contribution with this layout. */
export function contributionLimit(layout: Layout): number {
  return 8 + HEADER_LIMIT + sentBytes(layout);
}

/** The entries of a file that was read before: its last part. */
export function storedEntries(layout: Layout, file: Uint8Array): RingVector {
  const values = entriesFrom(layout, file.subarray(file.length - sentBytes(layout)));
  if (values === undefined) throw new RangeError('the file is no contribution to the study');
  return values;
}

function entriesFrom(layout: Layout, data: Uint8Array): RingVector | undefined {
  const shape = shapeOf(layout);
  return hasPackedEntries(shape) ? unpackEntries(shape, data) : wordsFromBytes(data);
}

/** Bytes of the entries in a file. */
export function sentBytes(layout: Layout): number {
  return hasPackedEntries(shapeOf(layout)) ? packedBytes(shapeOf(layout)) : bytesOf(layout);
}

/** Reads a contribution to the given study, or says what is wrong with its form. Does not check whether its numbers are possible. */
export function decodeContribution(file: Uint8Array, study: string, layout: Layout): Decoded {
  if (file.length < 8) return { refused: `too short for a header: ${file.length} bytes` };
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerLength = view.getBigUint64(0, true);
  if (headerLength > BigInt(HEADER_LIMIT)) {
    return { refused: `header of ${headerLength} bytes; at most ${HEADER_LIMIT}` };
  }
  const start = 8 + Number(headerLength);
  if (start > file.length) return { refused: 'header runs past the end of the file' };
  const header = parseHeader(file.subarray(8, start));
  if (typeof header === 'string') return { refused: header };
  if (header.schema !== SCHEMA) return { refused: `schema is not ${SCHEMA}` };
  if (header.study !== study) return { refused: 'made for another study (its digest differs)' };
  if (header.arithmetic !== layout.arithmetic || header.grid !== gridOf(layout)) {
    return {
      refused: `arithmetic must be ${layout.arithmetic} on a grid of ${gridOf(layout)} bits`,
    };
  }
  const turn = parseNumbering(header);
  if (typeof turn === 'string') return { refused: turn };
  const length = sentBytes(layout);
  const { dtype, shape } = tensorOf(layout);
  if (header.dtype !== dtype) return { refused: `dtype must be ${dtype}` };
  if (header.shape[0] !== shape[0] || header.shape[1] !== shape[1]) {
    return { refused: `shape must be [${shape[0]}, ${shape[1]}]` };
  }
  if (header.from !== 0 || header.to !== length) {
    return { refused: `data_offsets must be [0, ${length}]` };
  }
  if (file.length !== start + length) {
    return { refused: `${file.length - start} bytes of data; ${length} expected` };
  }
  const values = entriesFrom(layout, file.subarray(start));
  if (values === undefined) return { refused: 'bits are set that belong to no number' };
  const statistic = { layout, values };
  return { contribution: { study, site: header.site, ...turn, statistic } };
}

type Numbering = Pick<
  ContributionHeader,
  'sequence' | 'mode' | 'dropped' | 'nonce' | 'sealed' | 'seal'
>;

function parseNumbering(header: Header): Numbering | string {
  const { sequence, mode, dropped, nonce, sealed, key, signature } = header;
  if (!/^[1-9]\d{0,8}$/.test(sequence)) return 'sequence must be a whole number from 1';
  if (mode !== 'add' && mode !== 'replace') return 'mode must be add or replace';
  if (!/^(0|[1-9]\d{0,14})$/.test(dropped)) return 'dropped must be a whole number from 0';
  if (nonce !== undefined && !/^[\w-]{43}$/.test(nonce))
    return 'nonce must be 32 bytes in base64url';
  if (sealed !== undefined && !/^[\w-]{64,1700}$/.test(sealed)) return 'sealed must be base64url';
  if ((key === undefined) !== (signature === undefined)) return 'key and signature go together';
  return {
    sequence: Number(sequence),
    mode,
    dropped: Number(dropped),
    ...defined({ nonce, sealed }),
    ...(key === undefined || signature === undefined ? {} : { seal: { key, signature } }),
  };
}

interface Header {
  readonly schema: string;
  readonly study: string;
  readonly site: string;
  readonly sequence: string;
  readonly mode: string;
  readonly dropped: string;
  readonly arithmetic: string;
  readonly grid: string;
  readonly nonce?: string;
  readonly sealed?: string;
  readonly key?: string;
  readonly signature?: string;
  readonly dtype: string;
  readonly shape: readonly [number, number];
  readonly from: number;
  readonly to: number;
}

const strictly = new TextDecoder('utf-8', { fatal: true });

function parseHeader(bytes: Uint8Array): Header | string {
  let json: unknown;
  try {
    json = JSON.parse(strictly.decode(bytes));
  } catch {
    return 'header is not JSON';
  }
  if (!isRecord(json)) return 'header is not a JSON object';
  if (Object.keys(json).sort().join() !== `__metadata__,${TENSOR}`) {
    return `header must hold __metadata__ and one tensor named ${TENSOR}`;
  }
  const meta = json.__metadata__;
  const tensor = json[TENSOR];
  if (!isRecord(meta) || !isRecord(tensor)) return 'header entries must be objects';
  if (!METADATA.every((name) => typeof meta[name] === 'string')) {
    return `metadata must have ${METADATA.join(', ')} as strings`;
  }
  if (!Object.values(meta).every((text) => typeof text === 'string')) {
    return 'metadata must be strings';
  }
  if (!Object.keys(meta).every((name) => KNOWN_METADATA.has(name))) {
    return `metadata may have nothing but ${[...KNOWN_METADATA].join(', ')}`;
  }
  const { dtype, shape, data_offsets: offsets } = tensor;
  if (typeof dtype !== 'string' || !isPair(shape) || !isPair(offsets)) {
    return 'tensor must have dtype, a shape of two and data_offsets of two';
  }
  if (Object.keys(tensor).sort().join() !== TENSOR_KEYS) {
    return 'tensor may have nothing but dtype, shape and data_offsets';
  }
  const mayBePadded = bytes.length > MOST_PADDING;
  if (mayBePadded && bytes.length > shortestLength(json) + MOST_PADDING) {
    return `header has more than ${MOST_PADDING} bytes of padding`;
  }
  return {
    ...(meta as Record<(typeof METADATA)[number], string>),
    dtype,
    shape,
    from: offsets[0],
    to: offsets[1],
  };
}

function shortestLength(json: unknown): number {
  return new TextEncoder().encode(JSON.stringify(json)).length;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}
