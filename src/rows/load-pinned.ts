import { DataError } from '../data-error.ts';
import { pinnedFiles } from '../features/feature-maps.ts';
import { hasPinned, keepPinned, nameOf, type PinnedFile } from '../features/pinned-file.ts';
import type { Study } from '../study/study.ts';
import type { Host } from './host.ts';

/** The public files that a study's feature map needs to map rows; most studies need none. */
export function studyFiles(study: Study): readonly PinnedFile[] {
  return 'features' in study ? pinnedFiles(study) : [];
}

/** Loads public files, each once in a thread. Throws DataError if the host has none, or has other bytes. */
export async function loadPinned(
  files: readonly PinnedFile[],
  host: Pick<Host, 'pinned'>,
): Promise<void> {
  for (const file of files) {
    if (hasPinned(file)) continue;
    const bytes = await host.pinned?.(file);
    if (bytes === undefined) {
      throw new DataError(
        `the study needs ${nameOf(file)} of ${file.package}, and it cannot be loaded here`,
        {},
        'read the rows with the command or in a page of the coordinator',
      );
    }
    keepPinned(file, bytes);
  }
}

/**
 * Loads the public files that a study's feature map needs before rows can be mapped, such as the weights of a backbone. Commands and
 * pages do so themselves; call it before `federate`.
 */
export function loadStudyFiles(study: Study, host: Pick<Host, 'pinned'>): Promise<void> {
  return loadPinned(studyFiles(study), host);
}
