import { defined } from '../defined.ts';
import { codingOf } from '../features/study-design.ts';
import type { Coding } from '../features/terms.ts';
import type { Glance, TermRow } from '../model/inference.ts';
import { modelStudy } from '../model/model-study.ts';
import type { PrivacyFacts } from '../model/private-fit.ts';
import type { Report } from '../model/report.ts';
import type { Codebook } from '../study/codebook.ts';
import { deparse } from '../study/formula-expression.ts';
import { studyDigest } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import { finiteJson } from '../text/finite-json.ts';
import { answerAbout, type ExportedModel, methodTextOf, responsesOf } from './exported-model.ts';
import { type MapJson, mapJson } from './map-json.ts';
import { type PlannedColumn, predictionPlan } from './prediction-plan.ts';

/** The model as `suffice export --format json` writes it; keys in this order. */
export interface ExportedJson {
  readonly schema: 'suffice/export@1';
  readonly name?: string;
  readonly formula: string;
  /** How it was fitted, in words. */
  readonly method: string;
  /** Absent for a linear model. */
  readonly link?: 'logit' | 'log';
  readonly n: number;
  readonly sites: readonly { readonly name: string; readonly n?: number }[];
  /** In a private model: its promise and cost, and the range that caps its predictions. */
  readonly privacy?: PrivacyFacts;
  /** SHA-256 of the study, and of the study with its total. */
  readonly digests: { readonly study: string; readonly total: string };
  readonly responses: readonly {
    readonly response: string;
    readonly terms: readonly TermRow[];
    readonly glance: Glance;
    /** Over the terms, where it was requested. */
    readonly covariance?: {
      readonly errors: string;
      readonly terms: readonly string[];
      readonly matrix: readonly (readonly number[])[];
    };
  }[];
  /** How the responses of a category become probabilities of its levels. */
  readonly classes?: Report['classes'];
  /** Terms that are combinations of others; their coefficients are 0. */
  readonly aliased: readonly string[];
  /** How a row becomes the columns of the model matrix. */
  readonly coding: {
    readonly contrasts: Coding;
    /** Levels with the baseline first. */
    readonly levels: Readonly<Record<string, readonly string[]>>;
    /** Each column is the product of `numbers` in the rows that meet all conditions `at`, and 0 elsewhere. */
    readonly columns: readonly {
      readonly name: string;
      readonly numbers: readonly string[];
      readonly at: readonly Readonly<Record<string, string | boolean>>[];
    }[];
  };
  /** In a model of nonlinear features: how they are made from the columns above. */
  readonly map?: MapJson;
  readonly codebook: Codebook;
}

/** The model in one JSON document, complete enough to predict with and to cite. */
export function modelJson(model: ExportedModel): string {
  return `${finiteJson(exportedJson(model))}\n`;
}

function exportedJson(model: ExportedModel): ExportedJson {
  const { report } = model;
  const study = tableStudy(model.study);
  const plan = predictionPlan(model);
  const columns = [...(plan.mapped?.inputs ?? []), ...plan.columns];
  const map = plan.mapped === undefined ? undefined : mapJson(plan.mapped);
  const { family } = report;
  return {
    schema: 'suffice/export@1',
    ...defined({ name: study.name }),
    formula: study.formula,
    method: methodTextOf(model),
    ...(family === undefined ? {} : { link: family === 'binomial' ? 'logit' : 'log' }),
    n: report.n,
    sites: report.sites.map(({ name, n }) => (n === undefined ? { name } : { name, n })),
    ...defined({ privacy: report.privacy }),
    digests: { study: studyDigest(model.study), total: report.digest },
    responses: responsesOf(report).map(({ response, terms, glance }, k) => {
      const covariance = answerAbout(model, 'covariance', response || undefined);
      return {
        response: plan.responses[k]!,
        terms,
        glance,
        ...(covariance === undefined
          ? {}
          : {
              covariance: {
                errors: covariance.errors,
                terms: covariance.terms,
                matrix: covariance.matrix,
              },
            }),
      };
    }),
    ...defined({ classes: report.classes }),
    aliased: report.aliased,
    coding: {
      contrasts: codingOf(modelStudy(study, report)) ?? 'treatment',
      levels: Object.fromEntries(levelsOf(columns)),
      columns: columns.map(({ name, numbers, indicators }) => ({
        name,
        numbers: numbers.map(deparse),
        at: indicators.map((indicator) =>
          'category' in indicator
            ? { [indicator.category.column]: indicator.category.levels[indicator.level]! }
            : { [deparse(indicator.comparison)]: indicator.holds },
        ),
      })),
    },
    ...defined({ map }),
    codebook: study.codebook,
  };
}

function levelsOf(columns: readonly PlannedColumn[]): Map<string, readonly string[]> {
  const levels = new Map<string, readonly string[]>();
  for (const { indicators } of columns) {
    for (const indicator of indicators) {
      if ('category' in indicator) levels.set(indicator.category.column, indicator.category.levels);
    }
  }
  return levels;
}
