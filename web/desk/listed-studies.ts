import type { StudyView } from '../../src/protocol/messages.ts';
import { NetworkFailure } from '../../src/protocol/network-failure.ts';
import { createTransport } from '../../src/protocol/transport.ts';

/** A study of the list of the operator. */
export interface ListedStudy
  extends Pick<StudyView, 'id' | 'state' | 'createdAt' | 'deadline' | 'coordinatorKey'> {
  readonly name?: string;
  readonly formula: string;
  /** Sites that have contributed, of those that still can. */
  readonly contributed: number;
  readonly expected: number;
  readonly resolution?: number;
  readonly problem?: string;
}

/** All studies of a coordinator, newest first. */
export async function fetchStudies(coordinator: string, operator: string): Promise<ListedStudy[]> {
  const transport = createTransport(coordinator, operator);
  const bytes = await transport.send({ method: 'GET', path: '/studies', repeat: 'always' });
  const answer = JSON.parse(new TextDecoder().decode(bytes));
  if (answer?.schema !== 'suffice/studies@1') {
    throw new NetworkFailure('the answer is not that of a coordinator', 'check the address');
  }
  const views: readonly StudyView[] = answer.studies;
  return views.map(listed).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

function listed(view: StudyView): ListedStudy {
  const { id, state, createdAt, deadline, coordinatorKey, sites, study, resolution } = view;
  return {
    id,
    state,
    createdAt,
    deadline,
    coordinatorKey,
    name: study.name,
    formula: study.formula,
    contributed: sites.filter((site) => site.state === 'contributed').length,
    expected: sites.filter((site) => site.state !== 'withdrawn' && site.state !== 'revoked').length,
    resolution: resolution?.number,
    problem: view.problem,
  };
}
