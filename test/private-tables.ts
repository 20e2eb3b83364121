import fc from 'fast-check';
import { createDesign, type Design } from '../src/features/design.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import type { PublicRanges } from '../src/privacy/bounded-cells.ts';
import { type Mechanism, mechanismOf } from '../src/privacy/mechanism.ts';
import { privateColumns, privateLayout } from '../src/privacy/private-layout.ts';
import { privateSummarizer } from '../src/privacy/private-summary.ts';
import type { Summary } from '../src/statistic/cross-product.ts';
import { entriesOf } from '../src/statistic/layout.ts';
import { type LinearLayout, packedIndex, predictorsOf } from '../src/statistic/linear-layout.ts';
import { ringEntry } from '../src/statistic/ring.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';
import type { PrivacyTerms } from '../src/study/study.ts';

export const terms: PrivacyTerms = { epsilon: 1, delta: 1e-5, unit: 'row' };

/** One row: what a block holds for each variable of the design. */
export type Row = readonly number[];

export interface PrivateCase {
  readonly design: Design;
  readonly layout: LinearLayout;
  readonly terms: PrivacyTerms;
  /** Where cells are bounded; nowhere unless given. */
  readonly ranges?: PublicRanges;
}

export function privateCase(
  formula: string,
  codebook: Codebook,
  asked: PrivacyTerms = terms,
): PrivateCase {
  return casesMade(JSON.stringify([formula, codebook, asked]), () => {
    const design = createDesign(parseFormula(formula), codebook);
    return { design, layout: privateLayout(design, asked), terms: asked };
  });
}

/** Calibrating takes milliseconds, and properties ask for the same thing hundreds of times. */
function remembering<T>(): (key: string, make: () => T) => T {
  const made = new Map<string, T>();
  return (key, make) => {
    if (!made.has(key)) made.set(key, make());
    return made.get(key)!;
  };
}

const casesMade = remembering<PrivateCase>();
const mechanismsMade = remembering<Mechanism>();

/** The mechanism of a case's terms. */
export function mechanismFor({ layout, terms: asked }: Pick<PrivateCase, 'layout' | 'terms'>) {
  const columns = privateColumns(layout);
  const { refinement, ...rest } = asked;
  return mechanismsMade(JSON.stringify([rest, refinement?.round, columns]), () =>
    mechanismOf(asked, columns),
  );
}

const kernels = createKernels();

/** What a site makes of some rows, given to it in blocks. */
export function summarize(
  { design, layout, terms: asked, ranges = [] }: PrivateCase,
  rows: readonly Row[],
  blockRows = 97,
): Summary<LinearLayout> {
  return kernels.scoped(() => {
    const options = { file: 'site.csv', missing: 'drop', kernels, fewRows: true } as const;
    const site = privateSummarizer(design, layout, asked, ranges, options);
    for (let from = 0; from < rows.length; from += blockRows) {
      const part = rows.slice(from, from + blockRows);
      const columns = part[0].map((_, k) => Float64Array.from(part, (row) => row[k]));
      site.add({ rows: part.length, columns }, (r) => from + r + 1);
    }
    return site.finish();
  });
}

/** A statistic's whole numbers. */
export function integers({ layout, values }: LinearStatistic): bigint[] {
  return Array.from({ length: entriesOf(layout) }, (_, k) => ringEntry(values, 2, k));
}

/** The parts of `products`: squared lengths of G and h, the square of the response, the rows. */
export function partsOf(layout: LinearLayout, entries: readonly bigint[]) {
  const width = layout.columns.length;
  const predictors = predictorsOf(layout);
  let gram = 0n;
  let moment = 0n;
  for (let i = 0; i < predictors; i++) {
    for (let j = i; j < predictors; j++) {
      gram += (i === j ? 1n : 2n) * entries[packedIndex(width, i, j)] ** 2n;
    }
    moment += entries[packedIndex(width, i, predictors)] ** 2n;
  }
  const square = entries[packedIndex(width, predictors, predictors)];
  return { gram, moment, square, count: entries[entries.length - 1] };
}

const formulas = [
  'y ~ 1',
  'y ~ x',
  'y ~ x - 1',
  'y ~ g - 1',
  'y ~ x + z + g',
  'y ~ x * g + z',
  'y ~ x:z + h - 1',
  'y ~ I(x^2) + log(p) + g:h',
  'y ~ x * z * h',
  'I(g == "b") ~ x * p + h',
  'I(y > 0) ~ x + z + p + g * h - 1',
];

/** Ranges [low, low + width] of x and guesses of the deviations of x and y: narrow, wide, far from 0, absurd. */
const frames: readonly {
  readonly low: number;
  readonly width: number;
  readonly sd?: number;
  readonly ySd?: number;
}[] = [
  { low: 0, width: 1 },
  { low: -1, width: 37.5, ySd: 0.7 },
  { low: 0.1, width: 37.5, sd: 4, ySd: 1e-6 },
  { low: -1000, width: 1e8, sd: 0.25 },
  { low: -1, width: 1, sd: 1e12, ySd: 1e6 },
  { low: 1e6, width: 1e-9, ySd: 0.7 },
  { low: 0, width: 1e8, sd: 1e-12, ySd: 0.7 },
  { low: 0.1, width: 0, ySd: 1e-6 },
  { low: 0, width: 0, sd: 4 },
];

/** Designs over numbers with and without a guess of their deviation, categories, products, with and without intercept. */
export const anyStudy: fc.Arbitrary<{
  readonly formula: string;
  readonly codebook: Codebook;
}> = fc
  .tuple(fc.constantFrom(...formulas), fc.constantFrom(...frames))
  .map(([formula, { low, width, sd, ySd }]) => ({
    formula,
    codebook: {
      y: { type: 'number', range: [-3, 8], ...(ySd === undefined ? {} : { sd: ySd }) },
      x: { type: 'number', range: [low, low + width], ...(sd === undefined ? {} : { sd }) },
      z: { type: 'number', range: [-1, 1] },
      p: { type: 'number', range: [1e-3, 5] },
      g: { type: 'category', levels: ['a', 'b', 'c'] },
      h: { type: 'category', levels: ['u', 'v'] },
    } satisfies Codebook as Codebook,
  }));

/** Rows up to the bounds of their ranges, which is where many of them are. */
export function anyRow({ variables }: Design, codebook: Codebook): fc.Arbitrary<Row> {
  const cells = variables.map((name): fc.Arbitrary<number> => {
    const column = codebook[name];
    if (column.type !== 'number') return fc.nat({ max: (column.levels ?? []).length - 1 });
    const [low, high] = column.range as readonly [number, number];
    const inside = fc.integer({ min: 0, max: 1000 }).map((k) => {
      return Math.min(high, low + ((high - low) * k) / 1000);
    });
    const near = low <= 0 && high >= 0 ? [0, Math.min(high, 1e-170)] : [];
    return fc.oneof(fc.constantFrom(low, high, ...near), inside);
  });
  return fc.tuple(...cells);
}

/** A case with a few rows. */
export function anyRows(
  most: number,
  asked: PrivacyTerms = terms,
): fc.Arbitrary<PrivateCase & { readonly rows: readonly Row[]; readonly others: readonly Row[] }> {
  return anyStudy.chain(({ formula, codebook }) => {
    const made = privateCase(formula, codebook, asked);
    const row = anyRow(made.design, codebook);
    return fc.record({
      design: fc.constant(made.design),
      layout: fc.constant(made.layout),
      terms: fc.constant(asked),
      rows: fc.array(row, { maxLength: most }),
      others: fc.array(row, { minLength: 2, maxLength: 2 }),
    });
  });
}
