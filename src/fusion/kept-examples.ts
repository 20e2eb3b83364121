import type { Design } from '../features/design.ts';
import type { NetworkAnswers } from '../features/network-answers.ts';
import type { NetworkInputs } from '../features/network-inputs.ts';
import type { Answers, Examples } from '../network/examples.ts';
import { valueCount } from '../network/network-plan.ts';
import { digestBytes } from '../study/digest.ts';
import type { Block, Origin } from '../table/columns.ts';

/** The rows of a site in memory, as its network reads them. */
export interface KeptExamples {
  /** Takes complete rows. */
  add(block: Block, origin: Origin): void;
  /** All rows so far. */
  all(): Examples;
  /** SHA-256 of their inputs and answers. */
  digest(): string;
}

/** Keeps the inputs of rows in the network's scale, and their answers. */
export function keptExamples(
  design: Design,
  inputs: NetworkInputs,
  answers: NetworkAnswers,
): KeptExamples {
  const width = valueCount(inputs.shape);
  const blocks: { readonly from: number; readonly values: Float32Array }[] = [];
  const said: Answers[] = [];
  let rows = 0;
  return {
    add(block, origin) {
      const hi = design.columns.map(() => new Float64Array(block.rows));
      design.evaluate(
        block,
        origin,
        hi,
        hi.map(() => undefined),
      );
      const given = inputs.scaled(hi);
      const values = new Float32Array(block.rows * width);
      for (let r = 0; r < block.rows; r++) inputs.fill(given, r, values, r * width);
      said.push(answers.read(hi, block.rows));
      blocks.push({ from: rows, values });
      rows += block.rows;
    },
    all: () => ({ rows, fill: rowFiller(blocks, width), answers: joinAnswers(said) }),
    digest: () =>
      digestBytes(
        ...blocks.map(({ values }) => bytesOf(values)),
        ...said.map((one) => bytesOf(one.kind === 'classes' ? one.classes : one.numbers)),
      ),
  };
}

/** Copies a row out of the block that has it. */
function rowFiller(
  blocks: readonly { readonly from: number; readonly values: Float32Array }[],
  width: number,
): Examples['fill'] {
  const places = new Uint32Array(
    blocks.reduce((sum, { values }) => sum + values.length / Math.max(1, width), 0),
  );
  blocks.forEach(({ from, values }, k) => {
    places.fill(k, from, from + values.length / Math.max(1, width));
  });
  return (target, at, row) => {
    const { from, values } = blocks[places[row]];
    target.set(values.subarray((row - from) * width, (row - from + 1) * width), at);
  };
}

/** Some rows of others, in this order. */
export function someExamples(all: Examples, rows: Uint32Array): Examples {
  return {
    rows: rows.length,
    fill: (target, at, row) => all.fill(target, at, rows[row]),
    answers: someAnswers(all, rows),
  };
}

/** Rows of each class; undefined where the answers are numbers. */
export function classCounts(answers: Answers, classes: number): number[] | undefined {
  if (answers.kind === 'numbers') return undefined;
  const counts = new Array<number>(classes).fill(0);
  for (const one of answers.classes) counts[one] += 1;
  return counts;
}

function someAnswers({ rows: count, answers }: Examples, rows: Uint32Array): Answers {
  if (answers.kind === 'classes') {
    const { classes } = answers;
    return { kind: 'classes', classes: Uint16Array.from(rows, (row) => classes[row]) };
  }
  const { numbers } = answers;
  const each = numbers.length / count;
  const some = new Float32Array(rows.length * each);
  rows.forEach((row, r) => {
    some.set(numbers.subarray(row * each, (row + 1) * each), r * each);
  });
  return { kind: 'numbers', numbers: some };
}

function joinAnswers(parts: readonly Answers[]): Answers {
  if (parts.length === 1) return parts[0];
  const classes = parts.flatMap((part) => (part.kind === 'classes' ? [part.classes] : []));
  if (classes.length > 0) {
    return { kind: 'classes', classes: joined(classes, (length) => new Uint16Array(length)) };
  }
  const numbers = parts.flatMap((part) => (part.kind === 'numbers' ? [part.numbers] : []));
  return { kind: 'numbers', numbers: joined(numbers, (length) => new Float32Array(length)) };
}

function joined<Numbers extends Uint16Array | Float32Array>(
  parts: readonly ArrayLike<number>[],
  make: (length: number) => Numbers,
): Numbers {
  const all = make(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
