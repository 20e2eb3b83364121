import type { EstimateFit, EstimateModel } from './estimate-fit.ts';
import { type TermRow, waldRows } from './inference.ts';
import { type Report, type ResponseReport, reportedAnswers, type SiteLine } from './report.ts';

/** The public report of an average of the sites' estimates; it needs no sums over rows. */
export function createEstimateReport(
  fit: EstimateFit,
  context: {
    readonly formula: string;
    readonly sites: readonly SiteLine[];
    readonly digest: string;
    readonly grid: number;
  },
): Report {
  const { rows, ridge, models, kind, weights, bytes, exactBytes } = fit;
  const { formula, sites, digest, grid } = context;
  const answers = models.map(
    (model): ResponseReport => ({
      response: model.response,
      terms: termRows(model, ridge),
      glance: { nobs: rows },
    }),
  );
  const order = new Map(sites.map(({ name }, place) => [name, place]));
  return {
    schema: 'suffice/report@1',
    formula,
    n: rows,
    sites,
    ...reportedAnswers(answers),
    ...(ridge === 0 ? {} : { ridge: { value: ridge, rule: 'given' } }),
    ...errorsAssumed(models[0]),
    estimates: {
      kind,
      weights: weights.toSorted((a, b) => (order.get(a.site) ?? 0) - (order.get(b.site) ?? 0)),
      bytes,
      exactBytes,
    },
    arithmetic: 'exact',
    grid,
    aliased: [],
    digest,
  };
}

/** Under a ridge, standard errors only: all sites share its bias, and no interval would hold. */
function termRows({ errors, ...model }: EstimateModel, ridge: number): TermRow[] {
  const rows = waldRows(model, errors);
  if (ridge === 0) return rows;
  return rows.map(({ term, estimate, 'std.error': error }) =>
    error === undefined ? { term, estimate } : { term, estimate, 'std.error': error },
  );
}

function errorsAssumed({ errors }: EstimateModel): Pick<Report, 'errors' | 'freedom'> {
  if (errors === undefined) return {};
  const { kind, freedom } = errors;
  return { errors: kind, freedom: Number.isFinite(freedom) ? freedom : 'normal' };
}
