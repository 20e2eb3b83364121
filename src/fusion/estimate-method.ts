import type * as zod from 'zod';
import { studyDesign } from '../features/study-design.ts';
import { createEstimateReport } from '../model/estimate-report.ts';
import { crossProductLayout, summarizer } from '../statistic/cross-product.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { EstimateFusion } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { refuseAlternatives } from './choose-alternative.ts';
import { resolveEstimates } from './estimate.ts';
import { estimateLayout } from './estimate-layout.ts';
import { ownEstimate } from './estimate-site.ts';
import {
  estimateText,
  ownCoefficients,
  sentEstimatesText,
  whoSeesEstimates,
} from './estimate-text.ts';
import {
  type FusionEntry,
  notUnderNoise,
  type TableFusion,
  tableColumns,
  tableFusion,
} from './fusion-entry.ts';
import { refuseLayers } from './layer-rounds.ts';
import { linearSums } from './linear-sums.ts';
import type { Method, Questions } from './method.ts';

const noGain =
  'with covariance a site sends as many numbers as with the ridge fusion, which is exact';

const questions: Questions = {
  none: {
    problem: 'the sites sent their own estimates, not sums, so nothing but the report is available',
    remedy: 'ask for the report alone, or make a study with the ridge fusion, which is exact',
  },
};

/** Each site solves its own regression and sends the coefficients, which are averaged with weights. */
const estimates: Omit<TableFusion<EstimateFusion>, 'schema'> = {
  method(study, fusion): Method {
    const { arithmetic, grid = 44 } = study;
    const design = studyDesign(study, 'indicators');
    refuseLayers(study);
    refuseAlternatives(design, 'a study of averaged estimates');
    const rowsLayout = crossProductLayout(design, { arithmetic, grid, largestWeight: null });
    const layout = estimateLayout(rowsLayout, study, fusion, design);
    const text = estimateText(fusion);
    return {
      layout,
      rowsLayout,
      columns: tableColumns(study, design),
      regression: { study, design, layout: rowsLayout },
      additive: 'sites',
      wholeFile: false,
      needsSites: true,
      questions,
      text: {
        method: text,
        learnt: text,
        ...(fusion.covariance === true ? { notes: [noGain] } : {}),
        whoSees: whoSeesEstimates(fusion),
        leaves: sentEstimatesText(layout),
        says: (_, released) => ownCoefficients(linearStatistic(released)),
      },
      sections: ['weights'],
      summarize: (options) => summarizer(design, rowsLayout, options),
      release: (sums, site) => ownEstimate(layout, linearStatistic(sums), fusion, site),
      resolve(collected) {
        const { total, sites } = linearSums(collected);
        const fit = resolveEstimates(total, fusion, sites);
        if ('problem' in fit) return fit;
        return {
          report: (context) => createEstimateReport(fit, { ...context, grid }),
          models: fit.models.map((model) => ({
            ...model,
            covariance: () => model.errors?.covariance,
          })),
        };
      },
    };
  },
  questions,
  underNoise: notUnderNoise(
    'an average of the sites’ own estimates',
    'leave out privacy, or take the ridge fusion',
  ),
};

/** Weights proportional to rows. */
export const averageEntry: FusionEntry<EstimateFusion> = tableFusion({
  ...estimates,
  schema: (z) => estimateSchema(z, 'average'),
});

/** FESC weights. */
export const fescEntry: FusionEntry<EstimateFusion> = tableFusion({
  ...estimates,
  schema: (z) => estimateSchema(z, 'fesc'),
});

function shape<Kind extends EstimateFusion['kind']>(z: Zod, kind: Kind) {
  return z.strictObject({
    kind: z.literal(kind),
    ridge: z.number().nonnegative().optional(),
    covariance: z.boolean().optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof shape<EstimateFusion['kind']>>>, EstimateFusion>('same');

/** The JSON of a fusion of the sites' own estimates. */
export function estimateSchema(z: Zod, kind: EstimateFusion['kind']): zod.ZodObject {
  return shape(z, kind);
}
