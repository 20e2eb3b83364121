import { defined } from '../../src/defined.ts';
import type { Agreement } from '../../src/federate.ts';
import { offerableColumns } from '../../src/protocol/judge-offer.ts';
import { studyForecast } from '../../src/site/forecast-text.ts';
import { disclosureText, imageFilesText, whoSeesText } from '../../src/site/study-text.ts';
import { type Column, defaultMissing } from '../../src/study/codebook.ts';
import { formulaColumns, parseFormula } from '../../src/study/formula.ts';
import {
  CLASS_COLUMN,
  imagesOf,
  isImageStudy,
  shapeText,
  valuesOf,
} from '../../src/study/image-study.ts';
import { isTableStudy } from '../../src/study/study.ts';
import { type PartiesView, partiesView } from './parties-view.ts';

/** The terms of a study, for a site that is invited. */
export interface StudyTermsView {
  readonly name?: string;
  readonly digest: string;
  /** Absent if the study has none; then the method says what is asked. */
  readonly formula?: string;
  /** In a study of images: their form, and how they may be brought. */
  readonly images?: { readonly shape: string; readonly files: readonly string[] };
  readonly method: string;
  /** What depends on what, by the names of columns; at all parties, where they hold different ones. */
  readonly asks: { readonly responses: readonly string[]; readonly predictors: readonly string[] };
  readonly columns: readonly ColumnView[];
  /** In a private study: the promise, and the effect of the noise. */
  readonly promise?: { readonly text: string; readonly forecast: readonly string[] };
  readonly whoSees: string;
  /** Where nobody sees the numbers of one site. */
  readonly parties?: PartiesView;
  readonly rules: readonly string[];
  /** Whether the disclosure rules are switched off; only for public rows. */
  readonly withoutRules: boolean;
}

/** A column that every file needs. */
export interface ColumnView {
  readonly name: string;
  readonly role:
    | 'response'
    | 'predictor'
    | 'weight'
    | 'identifies the person'
    | 'links the rows'
    | 'is read';
  readonly type: 'number' | 'one of' | 'any text';
  readonly unit?: string;
  readonly range?: readonly [number, number];
  readonly levels?: readonly string[];
  /** Texts that mean missing. */
  readonly missing: readonly string[];
  readonly decimal?: '.' | ',';
}

/** `own` is the study as one party sees it, where they hold different columns. */
export function studyTermsView(
  agreed: Agreement,
  sites: number,
  own: Agreement = agreed,
): StudyTermsView {
  const { study, digest, method } = agreed;
  const { noise, text } = method;
  const all = everyColumn(agreed);
  const named = (role: ColumnView['role']) =>
    all.filter((column) => column.role === role).map(({ name }) => name);
  return {
    ...defined({ name: study.name, parties: partiesView(agreed) }),
    digest,
    ...(isTableStudy(study) ? { formula: study.formula } : {}),
    ...(isImageStudy(study)
      ? {
          images: { shape: shapeText(study.data), files: imageFilesText(study.data) },
        }
      : {}),
    method: text.method,
    asks: { responses: named('response'), predictors: named('predictor') },
    columns: columnViews(own),
    ...(noise !== undefined
      ? {
          promise: {
            text: noise.promise.join(' '),
            forecast: (studyForecast(agreed, sites)?.remarks ?? []).map(({ text }) => text),
          },
        }
      : {}),
    whoSees: whoSeesText(text).join(' '),
    rules: disclosureText(agreed),
    withoutRules: noise === undefined && study.disclosure?.profile === 'none',
  };
}

function columnViews(agreed: Agreement): ColumnView[] {
  const views = everyColumn(agreed);
  const images = imagesOf(agreed.study);
  if (images === undefined) return views;
  const [pixel] = views.filter(({ name }) => name !== CLASS_COLUMN);
  const rest = views.filter(({ name }) => name === CLASS_COLUMN);
  return [...rest, { ...pixel, name: `${valuesOf(images)} pixels` }];
}

function everyColumn(agreed: Agreement): ColumnView[] {
  const { regression } = agreed.method;
  const responses =
    regression === undefined
      ? []
      : formulaColumns(parseFormula(regression.study.formula)).responses;
  return offerableColumns(agreed).map(({ name, column }) => ({
    name,
    role: roleOf(name, responses, agreed),
    ...shapeOf(column),
    missing: column.missing ?? defaultMissing,
  }));
}

function roleOf(
  name: string,
  responses: readonly string[],
  { method, aggregation }: Agreement,
): ColumnView['role'] {
  if (responses.includes(name)) return 'response';
  if (name === method.regression?.study.weights) return 'weight';
  if (name === method.noise?.terms.person) return 'identifies the person';
  if (aggregation.columnsAt !== undefined && !isUsed(name, method)) return 'links the rows';
  return method.regression === undefined ? 'is read' : 'predictor';
}

/** Whether the model has the column; a party's file has key columns beside. */
function isUsed(name: string, { regression }: Agreement['method']): boolean {
  return regression?.design.variables.includes(name) === true;
}

function shapeOf(
  column: Column,
): Pick<ColumnView, 'type' | 'unit' | 'range' | 'levels' | 'decimal'> {
  if (column.type === 'category') return { type: 'one of', levels: column.levels };
  if (column.type === 'id') return { type: 'any text' };
  const { unit, range, decimal } = column;
  return {
    type: 'number',
    ...defined({ unit, range, decimal }),
  };
}
