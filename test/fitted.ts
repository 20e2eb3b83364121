import type { Report, ResponseReport } from '../src/model/report.ts';
import { type FitRequest, fitFiles } from '../src/node/run/fit.ts';
import { writeSites } from './cli.ts';

/** A table as test/vectors/*.R write it: columns of numbers or texts, null where a cell is missing. */
export type VectorTable = Readonly<Record<string, readonly (number | string | null)[]>>;

/** What `suffice fit` reports of a table dealt to sites, with the codebook drafted; in this process. */
export async function fitTable(
  folder: string,
  table: VectorTable,
  formula: string,
  choices: Partial<FitRequest> = {},
  sites = 3,
): Promise<Report> {
  const names = Object.keys(table);
  const lines = table[names[0]].map((_, r) => names.map((name) => table[name][r] ?? 'NA').join());
  const paths = writeSites(folder, 'site', names.join(), lines, sites);
  const { report } = await fitFiles(
    {
      formula,
      paths,
      fusion: { kind: 'ridge', ridge: 0 },
      arithmetic: 'exact',
      missing: 'drop',
      decimal: '.',
      missingMarkers: [],
      ...choices,
    },
    () => ({ update: () => {}, done: () => {} }),
  );
  return report;
}

/** One answer a response, whether the formula has one or several. */
export function answersOf({
  responses,
  terms,
  glance,
}: Report): readonly Omit<ResponseReport, 'response'>[] {
  return responses ?? [{ terms: terms!, glance: glance! }];
}
