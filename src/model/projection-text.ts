import { isProjectionName } from '../features/project-design.ts';
import { grouped } from './number-text.ts';
import type { Report } from './report.ts';

/** What a reader of coefficients must know who never sees the projections they come from. */
export function projectionWords(report: Report): string[] {
  const { projection, aliased, original = report.responses?.[0]?.original ?? [] } = report;
  if (projection === undefined) return [];
  const { dimension, seed, columns } = projection;
  const lost = aliased.filter(isProjectionName).length;
  const counted = original.some((row) => row['std.error'] !== undefined);
  const uncounted = counted ? ', and standard errors do not count that' : '';
  return [
    `learnt from ${grouped(dimension)} random ${dimension === 1 ? 'projection' : 'projections'} (seed ${seed}) of ${grouped(columns)} columns: what lies outside ${dimension === 1 ? 'it' : 'them'} is lost${uncounted}`,
    ...(lost === 0 ? [] : [`${grouped(lost)} of the projections are combinations of the others`]),
  ];
}
