import {
  entriesOf,
  fractionBitsOf,
  type Layout,
  packedIndex,
  triangleEntries,
  wordsOf,
} from './layout.ts';
import { ringDoubleDouble, ringEntry } from './ring.ts';
import { type Statistic, statisticBytes, wordsFromBytes } from './statistic.ts';

/** Where a contribution stands among those of its site. */
export interface ContributionTurn {
  /** Counts a site's contributions to a study from 1; no number is used twice. */
  readonly sequence: number;
  /** `add` brings rows no earlier contribution had; `replace` stands in place of all earlier ones. */
  readonly mode: 'add' | 'replace';
}

/** The turn of a site that sends once, which is nearly all of them. */
export const firstTurn: ContributionTurn = { sequence: 1, mode: 'add' };

/** What a contribution says about itself beside its numbers. */
export interface ContributionHeader extends ContributionTurn {
  /** Digest of the study it answers. */
  readonly study: string;
  readonly site: string;
  /** Rows the site left out for a missing cell. */
  readonly dropped: number;
  /** Ed25519 public key of the site, and its signature; both or neither. Base64url. */
  readonly seal?: Seal;
}

/** Who signed, and the signature. */
export interface Seal {
  readonly key: string;
  readonly signature: string;
}

export interface Contribution extends ContributionHeader {
  readonly statistic: Statistic;
}

/** A contribution that was read, or why these bytes are none. */
export type Decoded = { readonly contribution: Contribution } | { readonly refused: string };

const SCHEMA = 'suffice/contribution@1';
const TENSOR = 'statistic';
const HEADER_LIMIT = 65536;
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

/**
 * A contribution as a safetensors file: u64 header length, JSON header, little-endian data.
 * The tensor holds 64-bit words, lowest first: shape [entries, words].
 */
export function encodeContribution(contribution: Contribution): Uint8Array {
  const { statistic, seal } = contribution;
  const { layout } = statistic;
  const data = statisticBytes(statistic);
  const header = JSON.stringify({
    __metadata__: {
      schema: SCHEMA,
      study: contribution.study,
      site: contribution.site,
      sequence: String(contribution.sequence),
      mode: contribution.mode,
      dropped: String(contribution.dropped),
      arithmetic: layout.arithmetic,
      grid: String(layout.grid),
      ...seal,
    },
    [TENSOR]: {
      dtype: 'U64',
      shape: [entriesOf(layout), wordsOf(layout) / 2],
      data_offsets: [0, data.length],
    },
  });
  const json = new TextEncoder().encode(header);
  const padded = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + padded + data.length);
  const view = new DataView(file.buffer);
  view.setBigUint64(0, BigInt(padded), true);
  file.fill(0x20, 8, 8 + padded);
  file.set(json, 8);
  file.set(data, 8 + padded);
  return file;
}

/** Bytes an honest contribution of this layout can take at most. */
export function contributionLimit(layout: Layout): number {
  return 8 + HEADER_LIMIT + entriesOf(layout) * wordsOf(layout) * 4;
}

/** Reads a contribution to the given study; anything a site could not have sent is refused by name. */
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
  if (header.arithmetic !== layout.arithmetic || header.grid !== String(layout.grid)) {
    return { refused: `arithmetic must be ${layout.arithmetic} on a grid of ${layout.grid} bits` };
  }
  const turn = parseTurn(header);
  if (typeof turn === 'string') return { refused: turn };
  const words = wordsOf(layout);
  const length = entriesOf(layout) * words;
  if (header.dtype !== 'U64') return { refused: 'dtype must be U64' };
  if (header.shape[0] !== entriesOf(layout) || header.shape[1] !== words / 2) {
    return { refused: `shape must be [${entriesOf(layout)}, ${words / 2}]` };
  }
  if (header.from !== 0 || header.to !== length * 4) {
    return { refused: `data_offsets must be [0, ${length * 4}]` };
  }
  if (file.length !== start + length * 4) {
    return { refused: `${file.length - start} bytes of data; ${length * 4} expected` };
  }
  const statistic = { layout, values: wordsFromBytes(file.subarray(start)) };
  const impossible = impossibility(statistic);
  if (impossible !== undefined) return { refused: impossible };
  return { contribution: { study, site: header.site, ...turn, statistic } };
}

type Turn = Pick<ContributionHeader, 'sequence' | 'mode' | 'dropped' | 'seal'>;

function parseTurn({ sequence, mode, dropped, key, signature }: Header): Turn | string {
  if (!/^[1-9]\d{0,8}$/.test(sequence)) return 'sequence must be a whole number from 1';
  if (mode !== 'add' && mode !== 'replace') return 'mode must be add or replace';
  if (!/^(0|[1-9]\d{0,14})$/.test(dropped)) return 'dropped must be a whole number from 0';
  if ((key === undefined) !== (signature === undefined)) return 'key and signature go together';
  return {
    sequence: Number(sequence),
    mode,
    dropped: Number(dropped),
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
  readonly key?: string;
  readonly signature?: string;
  readonly dtype: string;
  readonly shape: readonly [number, number];
  readonly from: number;
  readonly to: number;
}

function parseHeader(bytes: Uint8Array): Header | string {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
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
  const { dtype, shape, data_offsets: offsets } = tensor;
  if (typeof dtype !== 'string' || !isPair(shape) || !isPair(offsets)) {
    return 'tensor must have dtype, a shape of two and data_offsets of two';
  }
  return {
    ...(meta as Record<(typeof METADATA)[number], string>),
    dtype,
    shape,
    from: offsets[0],
    to: offsets[1],
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

/**
 * Why no rows could have given this statistic, if so: a fractional count, a diagonal that is
 * negative or larger than n·max(u²), or an entry that breaks Cauchy–Schwarz. Compact entries are
 * float64 sums of n products of at most 1, off by up to n²·2⁻⁵³, and rounded one by one; the
 * inequalities allow for that. Of Fisher information the response is a linear predictor, which has
 * no range, and its products were rounded on their own.
 */
function impossibility(statistic: Statistic): string | undefined {
  const { layout, values } = statistic;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const { columns } = layout;
  const at = (i: number, j: number) => ringEntry(values, words, packedIndex(columns.length, i, j));
  const unit = 1n << BigInt(bits);
  const rows =
    layout.weightScale === null ? at(0, 0) : ringEntry(values, words, triangleEntries(layout));
  if (rows < 0n || rows % unit !== 0n) return 'the number of rows is not a whole number';
  const slack = layout.arithmetic === 'compact' ? 2n + (((rows / unit) ** 2n) >> 21n) : 0n;
  const squares = columns.map((_, i) => at(i, i));
  const framed = framedColumns(layout);
  for (let i = 0; i < columns.length; i++) {
    if (squares[i] < 0n) return `the square of ${columns[i]} is negative`;
    if (i < framed && squares[i] > rows + slack) {
      return `the square of ${columns[i]} exceeds what its range allows`;
    }
  }
  const lengths = squares.map((square) => Math.sqrt(Number(square) * 2 ** -bits));
  const exactly = layout.family === undefined ? columns.length : columns.length - 1;
  for (let i = 0, index = 0; i < columns.length; i++) {
    for (let j = i; j < columns.length; j++, index++) {
      // Float64 settles all but the close calls, which long integers decide.
      const entry = Math.abs(ringDoubleDouble(values, words, index, bits).hi);
      if (i === j || j >= exactly || entry < lengths[i] * lengths[j] * (1 - 1e-9)) continue;
      const exact = at(i, j);
      const magnitude = (exact < 0n ? -exact : exact) - slack;
      if (magnitude > 0n && magnitude ** 2n > (squares[i] + slack) * (squares[j] + slack)) {
        return `${columns[i]} × ${columns[j]} breaks Cauchy–Schwarz`;
      }
    }
  }
  return layout.family === undefined ? undefined : impossibleResponse(statistic, rows, slack);
}

/** How many of the first columns have squares of at most n: expected counts may leave the response's range. */
function framedColumns({ columns, family }: Layout): number {
  if (family === undefined) return columns.length;
  return family === 'binomial' ? columns.length - 1 : 0;
}

/** A response sum outside 0 … n·max(y), or of 0/1 responses no whole number. */
function impossibleResponse(
  { layout, values }: Statistic,
  rows: bigint,
  slack: bigint,
): string | undefined {
  const sum = ringEntry(values, wordsOf(layout), triangleEntries(layout) + 2);
  if (sum < 0n || sum > rows + slack) return 'the sum of the response is outside its range';
  const whole = sum % (1n << BigInt(fractionBitsOf(layout))) === 0n;
  return layout.family === 'poisson' || whole
    ? undefined
    : 'the number of cases is no whole number';
}
