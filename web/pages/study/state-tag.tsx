import type { StudyState } from '../../../src/protocol/messages.ts';
import { Tag } from '../../ui/tag.tsx';

const kinds = {
  draft: 'plain',
  open: 'accent',
  collecting: 'accent',
  closed: 'warn',
  resolved: 'good',
} as const;

/** Where a study is in its life. */
export function StateTag({ state }: { readonly state: StudyState }) {
  return <Tag kind={kinds[state]}>{state}</Tag>;
}
