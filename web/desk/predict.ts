import { loadSources } from '../../src/rows/sources.ts';
import type { StudyLink } from '../app/here.ts';
import { blobHost } from './blob-host.ts';
import type { Call } from './conversation.ts';
import {
  type FileChoices,
  type FileSummary,
  predictionBlob,
  type ReadingNews,
  summariseFile,
} from './file-prediction.ts';
import { type FormPrediction, type FormRequest, predictForm } from './form-prediction.ts';
import { fetchModel, type HeldModel, type NoModel, type OpenedModel } from './opened-model.ts';

let current: HeldModel | undefined;

/** Fetches the model of a study, and with it all that later needs no request: the readers of files too. */
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

/** What the model says of the row in the form. */
export async function predictRow(_: Call, request: FormRequest): Promise<FormPrediction> {
  return predictForm(held(), request);
}

/** Predicts the rows of a file, to be looked at. */
export function lookAtFile(
  call: Call<ReadingNews>,
  file: File,
  choices: FileChoices,
): Promise<FileSummary> {
  return summariseFile(call, held(), file, choices);
}

/** Predicts them again, to be kept. */
export function writePredictions(
  call: Call<ReadingNews>,
  file: File,
  choices: FileChoices & { readonly beside: 'nothing' | 'own columns' },
): Promise<Blob> {
  return predictionBlob(call, held(), file, choices);
}

function held(): HeldModel {
  if (current === undefined) throw new Error('no model was opened');
  return current;
}
