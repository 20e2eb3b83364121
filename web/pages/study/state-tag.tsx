import type { StudyState } from '../../../src/protocol/messages.ts';
import { Tag } from '../../ui/tag.tsx';

const kinds = {
  draft: 'plain',
  open: 'accent',
  collecting: 'accent',
  closed: 'warn',
  resolved: 'good',
} as const;

/** The state of a study. */
export function StateTag({ state }: { readonly state: StudyState }) {
  return <Tag kind={kinds[state]}>{state}</Tag>;
}
