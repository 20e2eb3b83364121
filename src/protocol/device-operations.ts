/** Operations of a study that is open to devices. */
export const deviceOperations = {
  enrol: {
    id: 'enrolDevice',
    method: 'POST',
    path: '/studies/:study/devices',
    who: ['open'],
    summary:
      'Enrol a device by its key, signed; a key that has enrolled gets the same secret again',
    request: { message: 'EnrolDevice' },
    answers: { 200: { description: 'the secret of this device', message: 'InvitationSecret' } },
  },
  contributeAsDevice: {
    id: 'contributeAsDevice',
    method: 'POST',
    path: '/studies/:study/devices/contributions',
    who: ['open'],
    summary: 'Enrol a device and send its contribution in one request: the file, optionally gzip',
    request: { type: 'application/octet-stream' },
    answers: {
      200: { description: 'stored before; the same receipt again', message: 'Receipt' },
      201: { description: 'stored, and part of the total', message: 'Receipt' },
      202: { description: 'stored as late', message: 'Receipt' },
    },
  },
  endEnrolment: {
    id: 'endEnrolment',
    method: 'DELETE',
    path: '/studies/:study/devices',
    who: ['study', 'operator'],
    summary: 'End the enrolment of devices; those that have enrolled go on',
    answers: { 204: { description: 'no device can enrol any more' } },
  },
} as const;
