import { aggregationOf } from '../aggregation/aggregations.ts';
import { withAllowedRange } from '../features/reference.ts';
import { studyDesign } from '../features/study-design.ts';
import { publicRange } from '../model/prediction-cap.ts';
import { createPrivateReport } from '../model/private-report.ts';
import { chargeOf } from '../privacy/charge.ts';
import { forecastFor } from '../privacy/forecast.ts';
import { mechanismOf } from '../privacy/mechanism.ts';
import { isChargedByTotal, placementOf } from '../privacy/placement.ts';
import { privateColumns, privateLayout } from '../privacy/private-layout.ts';
import { privateSummarizer } from '../privacy/private-summary.ts';
import { promiseText } from '../privacy/promise-text.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import type { Column } from '../study/codebook.ts';
import { privacyNotes } from '../study/promise-doubts.ts';
import type { PrivacyTerms, RidgeFusion, TableStudy } from '../study/study.ts';
import { refuseAlternatives } from './choose-alternative.ts';
import { tableColumns } from './fusion-entry.ts';
import type { Method, Noise, Questions } from './method.ts';
import { nextPrivateRound } from './next-round.ts';
import { resolvePrivate } from './private.ts';
import { refusePrivacy } from './private-study.ts';
import { openedTotalNotes, sentPrivateText, whoSeesPrivate } from './private-text.ts';
import { ridgeText } from './ridge-text.ts';

/** Linear regression under differential privacy: scaled rows, noise, and a solver that accounts for it. */
export function privateMethod(study: TableStudy, fusion: RidgeFusion, terms: PrivacyTerms): Method {
  refusePrivacy(study, fusion, terms);
  const design = studyDesign(study, 'indicators');
  refuseAlternatives(design, 'a private study');
  const layout = privateLayout(design, terms);
  const ranges = design.variables.map((name) => publicRangeOf(study.codebook[name]));
  const { refinement, rounds = 0, ...first } = terms;
  const { atSite, noises } = placementOf(terms);
  const aggregation = aggregationOf(study);
  return {
    layout,
    rowsLayout: layout,
    columns: tableColumns(study, design, terms.person),
    regression: { study, design, layout },
    additive: 'rows',
    wholeFile: terms.unit === 'person',
    needsSites: false,
    noise: noiseOf(study, terms, layout),
    questions: privateQuestions,
    text: {
      method: ridgeText(fusion),
      learnt: 'differentially private least squares',
      notes: [
        ...privacyNotes(study, layout.columns.slice(-layout.responses)),
        ...openedTotalNotes(terms, aggregation),
      ],
      whoSees: whoSeesPrivate(terms, aggregation),
      leaves: sentPrivateText(layout, terms, aggregation),
      says: () => [],
    },
    sections: [],
    rounds: {
      planned: rounds,
      next: (report) => nextPrivateRound(study, report),
      text:
        refinement === undefined
          ? 'noisy sums, from which the coefficients are found'
          : `gradient step ${refinement.round} of ${rounds} from these coefficients, within the budget agreed on`,
    },
    summarize: (options) => privateSummarizer(design, layout, terms, ranges, options),
    release: (sums) => atSite(linearStatistic(sums), mechanismOf(terms, privateColumns(layout))),
    resolve({ total, contributions }) {
      const fit = resolvePrivate(
        linearStatistic(total),
        terms,
        privateLayout(design, { ...first, rounds }),
        {
          noises: noises(contributions),
          ridge: Number(fusion.ridge),
        },
      );
      if ('problem' in fit) return fit;
      const covariance = () => ('covariance' in fit.errors ? fit.errors.covariance : undefined);
      return {
        report: (context) =>
          createPrivateReport(fit, terms, { ...context, range: publicRange(study) }),
        models: [{ ...fit, covariance }],
      };
    },
  };
}

/** The range that cells of a column are moved into; undefined for a category. */
function publicRangeOf(column: Column): readonly [number, number] | undefined {
  const allowed = withAllowedRange(column);
  return allowed.type === 'number' ? allowed.range : undefined;
}

/** Nothing but the report may be computed from a noisy total. */
export const privateQuestions: Questions = {
  none: {
    problem: 'the study is private: its report is all there is to see',
    remedy:
      'ask for the report alone; what else is to be known must be asked by a study of its own',
  },
};

function noiseOf(study: TableStudy, terms: PrivacyTerms, layout: LinearLayout): Noise {
  const { placement = 'central', releases = 1 } = terms;
  const columns = privateColumns(layout);
  const mechanism = () => mechanismOf(terms, columns);
  const { atHelper, onTotal } = placementOf(terms);
  return {
    terms,
    promise: promiseText(terms),
    ...(isChargedByTotal(placement) ? { totals: releases } : {}),
    ...(atHelper && {
      atHelper: (masks, random) => atHelper(linearStatistic(masks), mechanism(), random),
    }),
    onTotal: (total, random) => onTotal(linearStatistic(total), mechanism(), random),
    charge: (place) => chargeOf(study, terms, layout, place),
    forecast: (setting) => forecastFor(terms, { ...setting, columns }),
  };
}
