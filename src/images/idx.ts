import { DataError } from '../data-error.ts';
import type { ImageShape } from '../study/study.ts';

/** Bytes of the longest header: four bytes for the kind, four for each of at most four sides. */
export const IDX_HEADER_BYTES = 20;

const BYTE_VALUES = 8;

/** The header of an IDX file, such as those of MNIST: whole numbers from 0 to 255 in a box. */
export interface IdxHeader {
  /** The first is the number of images or labels. */
  readonly sides: readonly number[];
  /** Bytes before the values. */
  readonly start: number;
}

/** The header at the start of a file; undefined where it is no IDX file of labels (one side) or images (three or four). */
export function idxHeader(head: Uint8Array, file: string): IdxHeader | undefined {
  const [zero, none, kind, count] = head;
  if (head.length < 8 || zero !== 0 || none !== 0 || ![1, 3, 4].includes(count)) return undefined;
  if (kind !== BYTE_VALUES) {
    if (!VALUE_KINDS.has(kind)) return undefined;
    throw new DataError(
      `the IDX file holds ${VALUE_KINDS.get(kind)}, not bytes`,
      { file },
      'write the pixels as whole numbers from 0 to 255, one byte each (kind 0x08)',
    );
  }
  const start = 4 + 4 * count;
  if (head.length < start) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  return { sides: Array.from({ length: count }, (_, k) => view.getUint32(4 + 4 * k)), start };
}

const VALUE_KINDS = new Map([
  [0x09, 'signed bytes'],
  [0x0b, 'short integers'],
  [0x0c, 'integers'],
  [0x0d, 'floats'],
  [0x0e, 'doubles'],
]);

/** How the images of an IDX file are written. */
export interface IdxForm extends ImageShape {
  /** `last`: the channels of a pixel stand together (n × h × w × c). `first`: each channel is a plane (n × c × h × w). */
  readonly channelSide: 'last' | 'first';
}

/**
 * The form of the images from their sides; undefined where they have neither one channel nor three. Four sides are read as
 * n × h × w × c, or as n × c × h × w where only that gives the height and width of the study.
 */
export function idxForm([, ...sides]: readonly number[], wanted?: ImageShape): IdxForm | undefined {
  const [a, b, c] = sides;
  if (sides.length === 2) return { height: a, width: b, channels: 1, channelSide: 'last' };
  const forms: IdxForm[] = [];
  if (isChannels(c)) forms.push({ height: a, width: b, channels: c, channelSide: 'last' });
  if (isChannels(a)) forms.push({ height: b, width: c, channels: a, channelSide: 'first' });
  const asWanted = forms.find(
    ({ height, width }) => height === wanted?.height && width === wanted.width,
  );
  return asWanted ?? forms[0];
}

function isChannels(side: number): side is 1 | 3 {
  return side === 1 || side === 3;
}
