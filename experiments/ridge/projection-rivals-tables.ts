import type { ResultTable } from '../paper-result.ts';
import { cell, meanCell, percentCell, shown } from './cells.ts';
import {
  type Projected,
  printedProjections,
  type SpectrumName,
  spectrumTexts,
} from './projected.ts';
import type { RivalsFound } from './projection-rivals.ts';

const rivals = [
  ['Sparse', 'sparse'],
  ['Hadamard', 'hadamard'],
  ['Compact, √2·m', 'compact'],
  ['Frequent directions', 'directions'],
] as const satisfies readonly (readonly [string, keyof RivalsFound])[];

/** Test MSE of a Gaussian projection and of its rivals in the same bytes. */
export function rivalsTable(
  name: SpectrumName,
  { features, dimensions, found }: Projected,
): ResultTable {
  const trials = found[name];
  const stated = name === 'flat' && features === 1000;
  const smaller = dimensions.filter((m) => m < features);
  return {
    id: `VII-rivals-${name}`,
    title: `Rivals of a Gaussian projection of d = ${features} in its bytes: ${spectrumTexts[name]}`,
    of: 'm',
    columns: [
      { label: 'Gaussian' },
      ...rivals.map(([label]) => ({ label })),
      { label: 'Directions of a site' },
    ],
    rows: smaller.map((m, i) => ({
      label: String(m),
      cells: [
        cell(
          trials.map(({ mses }) => mses[i]!),
          stated ? printedProjections[m]?.[0] : undefined,
        ),
        ...rivals.map(([, key]) => cell(trials.map((trial) => trial.rivals[key][i]!))),
        cell(trials.map((trial) => trial.rivals.sketched[i]!)),
      ],
    })),
  };
}

/** What the rivals cost at m = 0.4·d, in a sentence. */
export function rivalsDifference({ features, dimensions, found }: Projected): string {
  const m = Math.max(1, Math.round(0.4 * features));
  const i = dimensions.indexOf(m);
  const sentence = (name: SpectrumName) => {
    const trials = found[name];
    const gaussian = meanCell(trials.map(({ mses }) => mses[i]!));
    const above = (key: keyof RivalsFound) =>
      percentCell(meanCell(trials.map((trial) => trial.rivals[key][i]!)) / gaussian - 1);
    return `sparse ${above('sparse')}, Hadamard ${above('hadamard')}, compact at √2·m ${above('compact')}, frequent directions ${above('directions')} of its MSE of ${shown(gaussian)}`;
  };
  return `Rivals in the bytes of a Gaussian projection to m = ${m}, more or less than it: features alike, ${sentence('flat')}; falling spectrum, ${sentence('falling')}. Sparse and Hadamard ones have its m; compact has 8 bytes an entry where exact has 16, and so √2·m columns; frequent directions have as many rows of d + 1 float64 numbers as its compact upload. Their sums are made in float64 from all rows’ sums (RᵀGR), or from the sites’ sketches; nothing else differs.`;
}
