import type { ZodError } from 'zod';
import { answerFromJson } from '../../analysis/answer-schema.ts';
import type { Answered } from '../../analysis/question.ts';
import { DataError } from '../../data-error.ts';
import { FailureError } from '../../failure.ts';
import { agreement } from '../../federate.ts';
import { sumsTerms } from '../../fusion/classifier-schema.ts';
import { parseStudy } from '../../fusion/study-schema.ts';
import type { Report } from '../../model/report.ts';
import { reportSchema } from '../../model/report-schema.ts';
import type { Fusion, Study } from '../../study/study.ts';
import { tableStudy } from '../../study/table-study.ts';
import { zodFields } from '../../study/zod-fields.ts';
import { isRecord } from './json-file.ts';

/** A model as a file holds it. */
export interface ParsedModel {
  readonly study: Study;
  readonly report: Report;
  /** The method of the model, if it is not the study's own. */
  readonly method?: Fusion;
  /** Answers to further questions about the same total. */
  readonly answers?: readonly Answered[];
}

/** The model in the JSON of a file: every value is checked before anything is made of it. */
export function parsedModel(json: unknown, path: string): ParsedModel {
  if (!isRecord(json) || !isRecord(json.study) || !isReport(json.report)) {
    throw new DataError(
      'the file holds no model: it needs a "study" and a "report"',
      { file: path },
      'give a file with a saved model',
      { name: 'model', value: 'saved' },
    );
  }
  const study = checkedStudy(json.study, path);
  const report = checkedReport(json.report, path);
  const answers = Array.isArray(json.answers) ? { answers: json.answers.map(answerFromJson) } : {};
  return { study, report, ...answers, ...methodOf(json.inquiry) };
}

/** The study of a model; a formula that cannot be used is a fault of the file here, not of the call. */
function checkedStudy(json: unknown, path: string): Study {
  const study = parseStudy(json);
  tableStudy(study); // refuses what no model here is of
  try {
    agreement(study);
  } catch (failure) {
    if (!(failure instanceof FailureError)) throw failure;
    throw new DataError(failure.problem, { file: path }, failure.remedy);
  }
  return study;
}

function isReport(value: unknown): boolean {
  if (!isRecord(value) || value.schema !== 'suffice/report@1') return false;
  return value.terms !== undefined || value.responses !== undefined;
}

/** The report without keys that this version does not know. */
function checkedReport(json: unknown, path: string): Report {
  const { success, data, error } = reportSchema.safeParse(json);
  if (success) return inOrderOf(json, data) as Report;
  const [{ path: place, message }] = (error as ZodError).issues;
  throw new DataError(
    `the report in the file is not valid: ${place.join('.')}: ${message}`,
    { file: path },
    'give a file with a saved model',
    { name: 'model', value: 'saved' },
  );
}

/** The checked value with its keys in the order of the file: an export writes them in this order. */
function inOrderOf(json: unknown, checked: unknown): unknown {
  if (Array.isArray(json) && Array.isArray(checked)) {
    return checked.map((item, k) => inOrderOf(json[k], item));
  }
  if (!isRecord(json) || !isRecord(checked)) return checked;
  const known = Object.keys(json).filter((key) => Object.hasOwn(checked, key));
  return Object.fromEntries(known.map((key) => [key, inOrderOf(json[key], checked[key])]));
}

/** The method that an analysis asked for. */
function methodOf(query: unknown): { readonly method?: Fusion } {
  if (!isRecord(query) || query.method === undefined) return {};
  return { method: sumsTerms(zodFields).parse(query.method) as Fusion };
}
