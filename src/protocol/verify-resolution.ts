import { digestJson } from '../study/digest.ts';
import { studyDigest } from '../study/study.ts';
import type { Resolution, SealedAnalysis, SealedResolution } from './messages.ts';
import { isSealed } from './signature.ts';

/** What a resolution is known by: the digest of all of it but the seal. */
export function resolutionDigest(resolution: Resolution | SealedResolution): string {
  const { seal: _, ...document } = resolution as SealedResolution;
  return digestJson(document);
}

/** What is wrong with a resolution, or undefined: its seal, whose key it is, its study and report. */
export function verifyResolution(
  resolution: SealedResolution | SealedAnalysis,
  coordinatorKey?: string,
): string | undefined {
  if (!['suffice/resolution@1', 'suffice/analysis@1'].includes(resolution.schema))
    return 'it is not a resolution';
  if (coordinatorKey !== undefined && resolution.seal.key !== coordinatorKey) {
    return 'it is signed with another key than the coordinator’s';
  }
  if (!isSealed(resolution)) return 'the signature does not fit';
  if (resolution.studyDigest !== studyDigest(resolution.study)) {
    return 'the digest is not that of the study';
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(resolution.report.digest)) {
    return 'the report has no digest';
  }
  return undefined;
}
