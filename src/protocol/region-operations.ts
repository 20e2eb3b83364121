/** Operations of the study of a region. */
export const regionOperations = {
  renewParent: {
    id: 'renewParent',
    method: 'POST',
    path: '/studies/:study/parent',
    who: ['study', 'operator'],
    summary: 'Take a new invitation of a region to the study of its parent',
    request: { message: 'RenewParent' },
    answers: { 200: { description: 'the study after the request', message: 'StudyView' } },
  },
  leaveParent: {
    id: 'leaveParent',
    method: 'POST',
    path: '/studies/:study/parent/departure',
    who: ['study', 'operator'],
    summary: 'Take a region out of the study of its parent, for good; its sum there is withdrawn',
    request: { message: 'Nothing' },
    answers: { 200: { description: 'the study; `sum` says how far it is', message: 'StudyView' } },
  },
} as const;
