import type { Answered } from '../../analysis/question.ts';
import { DataError } from '../../data-error.ts';
import type { Report } from '../../model/report.ts';
import { isSealed, type Sealed } from '../../protocol/signature.ts';
import { type Study, studyDigest } from '../../study/study.ts';
import { isRecord, readJson } from './json-file.ts';
import type { ParsedModel } from './parsed-model.ts';

/** A model in a file: the study, its report, and the key that signed them. */
export interface ModelFile extends ParsedModel {
  /** Key of the coordinator that signed it; absent for a model from `suffice fit`. */
  readonly key?: string;
}

/** What `suffice fit --save-model` writes. */
export interface SavedModel {
  readonly schema: 'suffice/model@1';
  readonly study: Study;
  readonly report: Report;
  readonly answers?: readonly Answered[];
}

/** Reads a saved model or a signed resolution, whole; refuses an invalid signature. */
export async function readModel(path: string): Promise<ModelFile> {
  const json = readJson(path);
  const { parsedModel } = await import('./parsed-model.ts'); // zod takes a tenth of a second to load
  const model = parsedModel(json, path);
  if (!isRecord(json) || json.seal === undefined) return model;
  const sealed = json as unknown as Sealed<{ readonly studyDigest?: string }>;
  if (!isSeal(json.seal) || !isSealed(sealed) || sealed.studyDigest !== studyDigest(model.study)) {
    throw new DataError(
      'the signature is not valid: the file is not as the coordinator signed it',
      { file: path },
      'fetch it again from the coordinator',
      { name: 'model', value: 'sealed' },
    );
  }
  return { ...model, key: sealed.seal.key };
}

function isSeal(value: unknown): boolean {
  return isRecord(value) && typeof value.key === 'string' && typeof value.signature === 'string';
}
