import { DataError } from '../data-error.ts';
import type { Study } from '../study/study.ts';
import type { PlacementName } from './placement.ts';

/** The private study with the noise added by others; refuses a study without noise. */
export function withPlacement(study: Study, placement: PlacementName): Study {
  const { privacy } = study;
  if (privacy) return { ...study, privacy: { ...privacy, placement } };
  throw new DataError(
    'who adds the noise is a question for a private study, and this one has no noise',
    {},
    'leave the placement out, or make the study private: "privacy" with epsilon and delta',
  );
}
