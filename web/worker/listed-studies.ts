import { requestStudies } from '../../src/protocol/client.ts';
import type { StudyView } from '../../src/protocol/messages.ts';
import { progressOf, type StudyProgress } from '../../src/protocol/progress.ts';
import { studyTitle } from '../../src/study/study-title.ts';
import { NOTICE_AFTER } from './client.ts';

/** A study in the operator's list. */
export interface ListedStudy
  extends Pick<StudyView, 'id' | 'state' | 'createdAt' | 'deadline' | 'coordinatorKey'> {
  readonly name?: string;
  /** Number of the round, from 2; absent in the first. */
  readonly round?: number;
  readonly formula: string;
  readonly progress: StudyProgress;
  readonly resolution?: number;
  readonly problem?: string;
}

/** All studies of a coordinator, newest first. */
export async function fetchStudies(coordinator: string, operator: string): Promise<ListedStudy[]> {
  const views = await requestStudies(coordinator, operator, { retryFor: NOTICE_AFTER });
  return views.map(listed);
}

function listed(view: StudyView): ListedStudy {
  const { id, state, createdAt, deadline, coordinatorKey, study, resolution } = view;
  return {
    id,
    state,
    createdAt,
    deadline,
    coordinatorKey,
    name: study.name,
    round: view.round,
    formula: studyTitle(study),
    progress: progressOf(view),
    resolution: resolution?.number,
    problem: view.problem,
  };
}
