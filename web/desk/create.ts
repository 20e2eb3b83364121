import { DataError } from '../../src/data-error.ts';
import { createStudy } from '../../src/protocol/client.ts';
import type { CreateStudy } from '../../src/protocol/messages.ts';
import { loadSources } from '../../src/rows/sources.ts';
import { blobHost } from './blob-host.ts';
import { TOLD_AFTER } from './client.ts';
import type { Call } from './conversation.ts';
import type { Plan } from './plan.ts';
import { type CheckedPlan, checkedPlan } from './plan-check.ts';
import { planOfJson } from './plan-of-study.ts';
import {
  type Sample,
  type SampleOverview,
  type SampleReading,
  sampleOverview,
  scanSample,
} from './sample.ts';

let sample: Sample | undefined;

/** Loads what reading a sample takes, so that reading it later asks the network for nothing. */
export function loadSampleReader(_: Call): Promise<void> {
  return loadSources(blobHost);
}

/** Looks through a file for the kinds of its columns; tells how far it is. The file stays in the tab. */
export async function readSample(
  call: Call<number>,
  file: File,
  reading: SampleReading,
): Promise<SampleOverview> {
  sample = await scanSample(file, reading, call);
  return sampleOverview(sample);
}

export async function forgetSample(_: Call): Promise<void> {
  sample = undefined;
}

/** What a plan comes to; local. */
export async function checkPlan(_: Call, plan: Plan): Promise<CheckedPlan> {
  return checkedPlan(plan, plan.codebook === 'sample' ? sample : undefined);
}

/** The plan of a study's or a codebook's JSON. */
export async function loadPlan(_: Call, text: string, before: Plan): Promise<Plan> {
  try {
    return planOfJson(text, before);
  } catch (failure) {
    throw new DataError(wordsOf(failure), {}, 'give the JSON of a study or of a codebook');
  }
}

function wordsOf(failure: unknown): string {
  if (failure instanceof SyntaxError) return 'it is no JSON';
  const [issue] = (failure as { issues?: { path: PropertyKey[]; message: string }[] }).issues ?? [];
  if (issue === undefined || issue.path.length === 0) {
    return 'it is neither a study nor a codebook';
  }
  return `“${issue.path.map(String).join('.')}”: ${issue.message}`;
}

/** Secrets of a new study; told once. */
export interface CreatedLinks {
  readonly id: string;
  readonly digest: string;
  readonly state: string;
  readonly admin: string;
  readonly invitations: readonly { readonly site: string; readonly token: string }[];
  readonly coordinatorKey: string;
}

/** Puts a study on the coordinator: one request. */
export async function createPlanned(
  _: Call,
  coordinator: string,
  operator: string,
  request: CreateStudy,
): Promise<CreatedLinks> {
  const { id, digest, state, adminToken, invitations, coordinatorKey } = await createStudy(
    coordinator,
    operator,
    request,
    { retryFor: TOLD_AFTER },
  );
  return { id, digest, state, admin: adminToken, invitations, coordinatorKey };
}
