import { loadSources } from '../../src/rows/sources.ts';
import type { Chosen } from '../tab/chosen-files.ts';
import type { StudyLink } from '../tab/page-address.ts';
import { blobHost } from './blob-host.ts';
import {
  type FileChoices,
  type FileSummary,
  type PredictionProgress,
  predictionBlob,
  summariseFile,
} from './file-prediction.ts';
import type { FormRequest } from './form-cells.ts';
import { type FormPrediction, predictForm } from './form-prediction.ts';
import { fetchModel, type LoadedModel, type NoModel, type OpenedModel } from './opened-model.ts';
import type { Call } from './worker-messages.ts';

let current: LoadedModel | undefined;

/** Fetches the model of a study and the code that reads files, so that predicting makes no request. */
export async function openModel(
  _: Call,
  link: StudyLink,
  number: number | 'latest',
): Promise<{ readonly model: OpenedModel } | { readonly none: NoModel }> {
  const [found] = await Promise.all([fetchModel(link, number), loadSources(blobHost)]);
  if (!('opened' in found)) return { none: found };
  current = found;
  return { model: found.opened };
}

/** The prediction for the row in the form. */
export async function predictRow(_: Call, request: FormRequest): Promise<FormPrediction> {
  return predictForm(held(), request);
}

/** Predicts the rows of a file and returns a summary. */
export function lookAtFile(
  call: Call<PredictionProgress>,
  file: Chosen,
  choices: FileChoices,
): Promise<FileSummary> {
  return summariseFile(call, held(), file, choices);
}

/** Predicts the rows again and returns them as a CSV file. */
export function predictionsFile(
  call: Call<PredictionProgress>,
  file: Chosen,
  choices: FileChoices & { readonly beside: 'nothing' | 'own columns' },
): Promise<Blob> {
  return predictionBlob(call, held(), file, choices);
}

function held(): LoadedModel {
  if (current === undefined) throw new Error('no model was opened');
  return current;
}
