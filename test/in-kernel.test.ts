import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { noFacts, scanColumn } from '../src/disclosure/column-facts.ts';
import { tagger, tagsInOrder } from '../src/disclosure/row-tags.ts';
import { unitReference } from '../src/features/reference.ts';
import { createKernels, type Kernels, sharedKernels } from '../src/numeric/kernels.ts';
import { describeNumbers } from '../src/table/describe.ts';
import { testTagKey } from './tags-of.ts';

const cell = fc.oneof(
  fc.double({ min: -1e150, max: 1e150 }),
  fc.constantFrom(0, -0, 1, 2, Number.NaN),
);
const table = fc
  .tuple(fc.integer({ min: 1, max: 23 }), fc.integer({ min: 1, max: 5 }))
  .chain(([rows, width]) =>
    fc.array(fc.array(cell, { minLength: rows, maxLength: rows }), {
      minLength: width,
      maxLength: width,
    }),
  )
  .map((columns) => columns.map((values) => Float64Array.from(values)));

/** Views of the columns in kernel memory. */
function held(columns: readonly Float64Array[], kernels: Kernels): Float64Array[] {
  const pointers = columns.map(({ byteLength }) => kernels.allocate(byteLength));
  return columns.map((values, k) => {
    const view = kernels.f64(pointers[k], values.length);
    view.set(values);
    return view;
  });
}

function tagged(columns: readonly Float64Array[]) {
  const tags = tagger(testTagKey);
  const missing = tags.add(columns[0].length, columns);
  return { missing, tags: tagsInOrder(tags.parts()) };
}

const scanned = (column: Float64Array) =>
  scanColumn(noFacts('x', false), unitReference, column, column.length, null);
const bitsOf = (columns: readonly Float64Array[]) =>
  columns.map((values) => new BigUint64Array(values.slice().buffer));

describe('columns in kernel memory', () => {
  it('give the same tags, description and facts as elsewhere, and stay as they are', () => {
    const kernels = createKernels();
    fc.assert(
      fc.property(table, (columns) => {
        kernels.scoped(() => {
          const inside = held(columns, kernels);
          const before = bitsOf(inside);
          expect(tagged(inside)).toEqual(tagged(columns));
          expect(inside.map(describeNumbers)).toEqual(columns.map(describeNumbers));
          for (const [k, values] of columns.entries()) {
            if (!values.some(Number.isNaN)) expect(scanned(inside[k])).toEqual(scanned(values));
          }
          expect(bitsOf(inside)).toEqual(before);
        });
      }),
    );
  });

  it('are not copied, also after their memory has grown', () => {
    const kernels = createKernels();
    const values = Float64Array.from({ length: 2 ** 15 }, (_, r) => Math.sin(r));
    held([values], kernels);
    const columns = held([values, values], kernels);
    const copying = vi.spyOn(sharedKernels(), 'allocate');
    onTestFinished(() => copying.mockRestore());
    const { tags } = tagged(columns);
    const found = columns.map((column) => [describeNumbers(column), scanned(column)]);
    expect(copying).not.toHaveBeenCalled();
    expect(columns[0].length).toBe(values.length);
    expect(tags).toEqual(tagged([values, values]).tags);
    expect(found[1]).toEqual([describeNumbers(values), scanned(values)]);
    expect(copying).toHaveBeenCalled();
  });
});
