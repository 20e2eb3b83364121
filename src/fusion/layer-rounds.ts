import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Design } from '../features/design.ts';
import { featureMapOf } from '../features/feature-maps.ts';
import type { FittedColumns } from '../features/further-contacts.ts';
import { mappedColumns } from '../features/mapped-columns.ts';
import { gcvShare } from '../model/gcv-share.ts';
import type { Report } from '../model/report.ts';
import type { Feature, TableStudy } from '../study/study.ts';
import type { Method } from './method.ts';

/** The further rounds of a linear regression whose feature map goes on with the coefficients of a report; none otherwise. */
export function layerRounds(study: TableStudy, design: Design): Pick<Method, 'rounds' | 'start'> {
  const [terms] = study.features ?? [];
  const further = terms && featureMapOf(terms).further;
  if (terms === undefined || further === undefined) return {};
  const start = further.start(terms);
  return {
    rounds: {
      planned: further.left(terms),
      beyondPlan: true,
      text: further.text(terms),
      next(report, from) {
        const next = further.next(terms, fittedColumns(report, design), from);
        return 'problem' in next ? next : { ...study, features: [next as Feature] };
      },
    },
    ...(start && { start: { ...start, decides: 'columns', noun: 'layers' } }),
  };
}

/** Refuses layers of earlier contacts in a method that does not go on with them. */
export function refuseLayers({ features = [] }: Pick<TableStudy, 'features'>): void {
  const given = features.find((terms) => featureMapOf(terms).further?.start(terms) !== undefined);
  if (given === undefined) return;
  throw new DataError(
    'only a linear regression goes on with layers of earlier contacts',
    {},
    'take the ridge fusion, or leave out the layers',
  );
}

/** The coefficients of the mapped columns in a report. */
function fittedColumns(report: Report, design: Design): FittedColumns {
  const answers = report.responses ?? [{ terms: report.terms ?? [] }];
  const units = design.columns.slice(-design.responses).map(({ publicUnit }) => publicUnit);
  const names = mappedColumns(design).map(({ name }) => name);
  return {
    responses: units.map((unit, r) => {
      const estimates = new Map(answers[r].terms.map(({ term, estimate }) => [term, estimate]));
      const of = (name: string) => estimates.get(name) ?? 0;
      return { unit, constant: of('(Intercept)'), slopes: Float64Array.from(names, of) };
    }),
    ...defined({ score: gcvShare(report) }),
  };
}
