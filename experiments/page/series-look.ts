import type { ResultSeries } from '../paper-result.ts';

/** A series with the class of its colour. */
export interface DrawnSeries extends ResultSeries {
  readonly colour: string;
}

/** From the bottom up. */
const layers: readonly ResultSeries['role'][] = ['oracle', 'other', 'printed', 'exact'];
/** `s1` is kept for the exact fusion. */
const others = ['s2', 's3', 's4', 's5', 's6'] as const;

/** Series in drawing order; printed values have the colour of the measured series with the same name. */
export function drawnSeries(series: readonly ResultSeries[]): DrawnSeries[] {
  const kept = series.map((one) => ({
    ...one,
    points: one.points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)),
  }));
  const own = kept.filter(({ role }) => role === 'other' || role === 'exact');
  const exact = own.find(({ role }) => role === 'exact');
  const rest = own.filter(({ role }) => role === 'other');
  const colourOf = (one: ResultSeries): string => {
    if (one.role === 'exact') return one.name === exact?.name ? 's1' : 's1 second';
    if (one.role === 'oracle') return 'oracle';
    if (one.role === 'other') return others[rest.findIndex(({ name }) => name === one.name) % 5]!;
    const base = one.name.replace(/,? \(?printed\)?$/, '');
    const alike = own.filter(({ name }) => name.startsWith(base) || base.startsWith(name));
    const measured =
      alike.find(({ name }) => name === base) ??
      alike.find(({ name }) => name.includes('as printed')) ??
      alike[0];
    return measured === undefined ? 'plain' : colourOf(measured);
  };
  return kept
    .map((one) => ({ ...one, colour: colourOf(one) }))
    .filter(({ points }) => points.length > 0)
    .sort((a, b) => layers.indexOf(a.role) - layers.indexOf(b.role));
}
