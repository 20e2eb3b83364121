import { DataError } from '../../src/data-error.ts';
import { postStudy } from '../../src/protocol/client.ts';
import type { CreateStudy } from '../../src/protocol/messages.ts';
import { loadSources } from '../../src/rows/sources.ts';
import type { Chosen } from '../tab/chosen-files.ts';
import { blobHost } from './blob-host.ts';
import { NOTICE_AFTER } from './client.ts';
import type { StudyPlan } from './plan.ts';
import { type CheckedPlan, checkedPlan } from './plan-check.ts';
import { planOfJson } from './plan-of-study.ts';
import {
  type Sample,
  type SampleOverview,
  type SampleReading,
  sampleOverview,
  scanSample,
} from './sample.ts';
import { noTable, sampledImages } from './sampled-images.ts';
import type { Call } from './worker-messages.ts';

let sample: Sample | undefined;

/** Loads the code that reads a sample, so that reading makes no request later. */
export function loadSampleReader(_: Call): Promise<void> {
  return loadSources(blobHost);
}

/** Scans a file for the types of its columns, and reports progress. The file stays in the tab. */
export async function readSample(
  call: Call<number>,
  file: Chosen,
  reading: SampleReading,
): Promise<SampleOverview> {
  const images = await sampledImages(file, call);
  if (images !== undefined) return images;
  if (!(file instanceof File)) throw noTable(file.name);
  sample = await scanSample(file, reading, call);
  return sampleOverview(sample);
}

export async function forgetSample(_: Call): Promise<void> {
  sample = undefined;
}

/** Checks a plan; makes no request. */
export async function reviewPlan(_: Call, plan: StudyPlan): Promise<CheckedPlan> {
  return checkedPlan(plan, plan.codebook === 'sample' ? sample : undefined);
}

/** The plan of a study's or a codebook's JSON. */
export async function loadPlan(_: Call, text: string, before: StudyPlan): Promise<StudyPlan> {
  try {
    return planOfJson(text, before);
  } catch (error) {
    throw new DataError(problemIn(error), {}, 'give the JSON of a study or of a codebook');
  }
}

function problemIn(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not JSON';
  const [issue] = (error as { issues?: { path: PropertyKey[]; message: string }[] }).issues ?? [];
  if (issue === undefined || issue.path.length === 0) {
    return 'it is neither a study nor a codebook';
  }
  return `“${issue.path.map(String).join('.')}”: ${issue.message}`;
}

/** Secrets of a new study; the coordinator sends them once. */
export interface StudyLinks {
  readonly id: string;
  readonly digest: string;
  readonly state: string;
  readonly admin: string;
  readonly invitations: readonly { readonly site: string; readonly token: string }[];
  readonly coordinatorKey: string;
}

/** Creates a study on the coordinator: one request. */
export async function createPlanned(
  _: Call,
  coordinator: string,
  operator: string,
  request: CreateStudy,
): Promise<StudyLinks> {
  const { id, digest, state, adminToken, invitations, coordinatorKey } = await postStudy(
    coordinator,
    operator,
    request,
    { retryFor: NOTICE_AFTER },
  );
  return { id, digest, state, admin: adminToken, invitations, coordinatorKey };
}
