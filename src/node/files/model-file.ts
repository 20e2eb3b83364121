import type { Answered } from '../../analysis/question.ts';
import { DataError } from '../../data-error.ts';
import type { Report } from '../../model/report.ts';
import { isSealed, type Sealed } from '../../protocol/signature.ts';
import { type Fusion, studyDigest, type TableStudy } from '../../study/study.ts';
import { tableStudy } from '../../study/table-study.ts';
import { isRecord, readJson } from './json-file.ts';

/** A model in a file: the study, its report, and the key that signed them. */
export interface ModelFile {
  readonly study: TableStudy;
  readonly report: Report;
  /** The method of the model, if it is not the study's own. */
  readonly method?: Fusion;
  /** Answers to further questions about the same total. */
  readonly answers?: readonly Answered[];
  /** Key of the coordinator that signed it; absent for a model from `suffice fit`. */
  readonly key?: string;
}

/** What `suffice fit --save-model` writes. */
export interface SavedModel {
  readonly schema: 'suffice/model@1';
  readonly study: TableStudy;
  readonly report: Report;
  readonly answers?: readonly Answered[];
}

/** Reads a saved model or a signed resolution; refuses an invalid signature. */
export async function readModel(path: string): Promise<ModelFile> {
  const json = readJson(path);
  const { parseStudy } = await import('../../fusion/study-schema.ts');
  if (!isRecord(json) || !isRecord(json.study) || !isReport(json.report)) {
    throw new DataError(
      'the file holds no model: it needs a "study" and a "report"',
      { file: path },
      'give a file with a saved model',
      { name: 'model', value: 'saved' },
    );
  }
  const study = tableStudy(parseStudy(json.study));
  const { report } = json;
  const answers = Array.isArray(json.answers) ? { answers: json.answers as Answered[] } : {};
  const asked = { ...answers, ...methodOf(json.inquiry) };
  if (json.seal === undefined) return { study, report, ...asked };
  const sealed = json as unknown as Sealed<{ readonly studyDigest?: string }>;
  if (!isSeal(json.seal) || !isSealed(sealed) || sealed.studyDigest !== studyDigest(study)) {
    throw new DataError(
      'the signature is not valid: the file is not as the coordinator signed it',
      { file: path },
      'fetch it again from the coordinator',
      { name: 'model', value: 'sealed' },
    );
  }
  return { study, report, ...asked, key: sealed.seal.key };
}

/** The method that an analysis asked for. */
function methodOf(query: unknown): { readonly method?: Fusion } {
  if (!isRecord(query) || !isRecord(query.method)) return {};
  return { method: query.method as unknown as Fusion };
}

function isReport(value: unknown): value is Report {
  if (!isRecord(value) || value.schema !== 'suffice/report@1') return false;
  if (value.responses === undefined) return isTermTable(value.terms);
  return (
    Array.isArray(value.responses) &&
    value.responses.every(
      (one) => isRecord(one) && typeof one.response === 'string' && isTermTable(one.terms),
    )
  );
}

function isTermTable(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (row) =>
        isRecord(row) && typeof row.term === 'string' && Number.isFinite(row.estimate as number),
    )
  );
}

function isSeal(value: unknown): boolean {
  return isRecord(value) && typeof value.key === 'string' && typeof value.signature === 'string';
}
