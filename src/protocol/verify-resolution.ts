import { digestJson } from '../study/digest.ts';
import { studyDigest } from '../study/study.ts';
import type { Resolution, SealedAnalysis, SealedResolution } from './messages.ts';
import { isSealed } from './signature.ts';

/** The digest of a resolution without its seal. */
export function resolutionDigest(resolution: Resolution | SealedResolution): string {
  const { seal: _, ...document } = resolution as SealedResolution;
  return digestJson(document);
}

/** The problem with a resolution's signature, key, study or report; undefined if there is none. */
export function verifyResolution(
  resolution: SealedResolution | SealedAnalysis,
  coordinatorKey?: string,
): string | undefined {
  if (!['suffice/resolution@1', 'suffice/analysis@1'].includes(resolution.schema))
    return 'this is not a resolution';
  if (coordinatorKey !== undefined && resolution.seal.key !== coordinatorKey) {
    return 'this is signed with another key than the coordinator’s';
  }
  if (!isSealed(resolution)) return 'the signature is not valid';
  if (resolution.studyDigest !== studyDigest(resolution.study)) {
    return 'the digest is not that of the study';
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(resolution.report.digest)) {
    return 'the report has no digest';
  }
  return undefined;
}
