import { renewAdmin, revokeAdmin } from './admin-links.ts';
import { analyseStudy } from './analyses.ts';
import { readAuditLog } from './audit-log.ts';
import type { Caller, CoordinatorOperations } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { endEnrolment, enrolDevice } from './devices.ts';
import { inviteSite, revokeSite } from './invitations.ts';
import { leaveParent } from './leave-parent.ts';
import { closeStudy, extendStudy, openStudy, reopenStudy } from './life.ts';
import { readMaskStage, sendMaskMessage } from './mask-exchange.ts';
import { answerOffer } from './offers.ts';
import { agreeToOpen, askOpening } from './openings.ts';
import { readPartyPart, sendPartyPart } from './party-mail.ts';
import { listReceipts } from './receipts.ts';
import { renewParent } from './renew-parent.ts';
import { listResolutions, readResolution } from './resolution-records.ts';
import { resolveStudy } from './resolutions.ts';
import { readTotal } from './resolved-total.ts';
import { openRound } from './rounds.ts';
import { createStudy } from './study-records.ts';
import { listStudies, viewStudy } from './study-view.ts';
import { readUpload } from './uploads.ts';
import { withdraw } from './withdrawals.ts';

type Handler<Name extends keyof CoordinatorOperations> = (
  context: CoordinatorContext,
  ...asked: Parameters<CoordinatorOperations[Name]>
) => ReturnType<CoordinatorOperations[Name]>;

/** The function behind each operation. */
const handlers: { readonly [Name in keyof CoordinatorOperations]: Handler<Name> } = {
  create: createStudy,
  list: async (...asked) => ({
    schema: 'suffice/studies@1',
    studies: await listStudies(...asked),
  }),
  view: viewStudy,
  invite: inviteSite,
  revoke: revokeSite,
  renewAdmin,
  revokeAdmin,
  open: thenView(openStudy),
  close: thenView(closeStudy),
  reopen: thenView(reopenStudy),
  extend: thenView(extendStudy),
  openRound: thenView(openRound),
  enrol: enrolDevice,
  endEnrolment,
  offer: answerOffer,
  upload: readUpload,
  sendMasks: sendMaskMessage,
  masks: readMaskStage,
  sendParty: sendPartyPart,
  party: readPartyPart,
  receipts: async (...asked) => ({
    schema: 'suffice/receipts@1',
    receipts: await listReceipts(...asked),
  }),
  withdraw,
  askOpening: thenView(askOpening),
  agreeToOpen: thenView(agreeToOpen),
  renewParent: thenView(renewParent),
  leaveParent: thenView(leaveParent),
  resolve: resolveStudy,
  resolutions: async (...asked) => ({
    schema: 'suffice/resolutions@1',
    resolutions: await listResolutions(...asked),
  }),
  resolution: readResolution,
  total: readTotal,
  analyse: analyseStudy,
  auditLog: readAuditLog,
};

/** The operations of a coordinator. */
export function operationsOf(context: CoordinatorContext): CoordinatorOperations {
  const bound = Object.entries(handlers).map(([name, handler]) => [
    name,
    (...asked: never[]) => (handler as (...all: unknown[]) => unknown)(context, ...asked),
  ]);
  return Object.fromEntries(bound);
}

/** Changes the state of a study, then returns its view. */
function thenView<Rest extends unknown[]>(
  step: (context: CoordinatorContext, caller: Caller, id: string, ...rest: Rest) => Promise<void>,
): (
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  ...rest: Rest
) => ReturnType<typeof viewStudy> {
  return async (context, caller, id, ...rest) => {
    await step(context, caller, id, ...rest);
    return viewStudy(context, caller, id);
  };
}
