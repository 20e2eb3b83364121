import { studyDesign } from '../features/study-design.ts';
import { createEstimateReport } from '../model/estimate-report.ts';
import { crossProductLayout, summarizer } from '../statistic/cross-product.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import type { EstimateFusion } from '../study/study.ts';
import { resolveEstimates } from './estimate.ts';
import { estimateLayout } from './estimate-layout.ts';
import { estimateSchema } from './estimate-schema.ts';
import { ownEstimate } from './estimate-site.ts';
import { estimateLeaves, estimateSight, estimateText, ownCoefficients } from './estimate-text.ts';
import { type FusionEntry, notUnderNoise, type TableFusion, tableFusion } from './fusion-entry.ts';
import { linearSums } from './linear-sums.ts';
import type { Method, Questions } from './method.ts';
import { tableColumns } from './table-columns.ts';

const noGain =
  'with covariance a site sends as many numbers as with the ridge fusion, which is exact';

const questions: Questions = {
  none: {
    problem: 'the sites sent estimates of their own, not sums: their report is all there is',
    remedy: 'ask for the report alone, or make a study with the ridge fusion, which is exact',
  },
};

/** A regression of each site's own: it sends its coefficients, which are combined with weights. */
const estimates: Omit<TableFusion<EstimateFusion>, 'schema'> = {
  method(study, fusion): Method {
    const { arithmetic, grid = 44 } = study;
    const design = studyDesign(study, 'indicators');
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
      needsParts: true,
      questions,
      text: {
        method: text,
        learnt: text,
        ...(fusion.covariance === true ? { notes: [noGain] } : {}),
        sight: estimateSight(fusion),
        leaves: estimateLeaves(layout),
        says: (_, released) => ownCoefficients(linearStatistic(released)),
      },
      sections: ['weights'],
      summarize: (options) => summarizer(design, rowsLayout, options),
      release: (sums, site) => ownEstimate(layout, linearStatistic(sums), fusion, site),
      resolve(sent) {
        const { total, parts } = linearSums(sent);
        const fit = resolveEstimates(total, fusion, parts);
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

/** Averaged by rows. */
export const average: FusionEntry<EstimateFusion> = tableFusion({
  ...estimates,
  schema: (z) => estimateSchema(z, 'average'),
});

/** Combined with FESC weights. */
export const fesc: FusionEntry<EstimateFusion> = tableFusion({
  ...estimates,
  schema: (z) => estimateSchema(z, 'fesc'),
});
