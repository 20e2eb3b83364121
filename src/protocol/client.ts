import type { Statistic } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { studyDigest } from '../study/study.ts';
import { type Link, studyId } from './link.ts';
import type {
  AuditEntry,
  CreateStudy,
  InvitationSecret,
  InviteSite,
  ResolutionLine,
  SealedReceipt,
  StudyCreated,
  StudyView,
} from './messages.ts';
import { type OperationClient, operationClient, operationPath } from './operation-client.ts';
import { operations } from './operations.ts';
import { Refusal } from './refusal.ts';
import { type ClientOptions, createTransport, UncertainRefusal } from './transport.ts';
import { mismatch, verified, verifiedTotal, verifiedView } from './verified.ts';
import { watchEvents } from './watch-events.ts';

export type { ClientOptions } from './transport.ts';

const STUDY = '/studies/:study';

/** Operations on one study, without their first argument: the study’s id. */
type StudyOperations = {
  readonly [Name in keyof Asked as Table[Name]['path'] extends `${typeof STUDY}${string}`
    ? Name
    : never]: Bound<Asked[Name]>;
};
type Table = typeof operations;
type Asked = OperationClient<Table>;
type Bound<Ask> = Ask extends (study: string, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** What is asked in another way than the table has it. */
interface Reshaped {
  receipts(): Promise<readonly SealedReceipt[]>;
  reopen(deadline?: string): Promise<StudyView>;
  extend(deadline: string): Promise<StudyView>;
  invite(site: string, options?: Omit<InviteSite, 'site'>): Promise<InvitationSecret>;
  resolutions(): Promise<readonly ResolutionLine[]>;
  /** The exact sum a resolution was made of, checked against the digest in its signed report. */
  total(number: number | 'latest'): Promise<Statistic>;
  /** Entries of the log from a position (from 1) on, then each new one until the signal ends it. */
  events(from: number, signal: AbortSignal): AsyncIterable<AuditEntry>;
}

/**
 * A study as the holder of a link reaches it. Everything that comes back is checked against the
 * link: the study's digest, the layout, and whose signature is on what is signed. Throws `Refusal` for what the
 * coordinator will not do and `NetworkFailure` for everything else. A contribution is sent again
 * and again until it is acknowledged, which counts once.
 */
export interface StudyClient extends Omit<StudyOperations, keyof Reshaped>, Reshaped {}

export function studyClient(link: Link, options: ClientOptions = {}): StudyClient {
  const transport = createTransport(link.coordinator, link.token, options);
  const asked = onStudy(
    operationClient(operations, transport, {
      ...options,
      verify: (name, message) => verified(name, message, link),
    }),
    link.study,
  );
  /** A change that a lost answer may have hidden: then the state it leads to counts as done. */
  const changeTo = async (
    change: () => Promise<StudyView>,
    reached: readonly StudyView['state'][],
  ) => {
    try {
      return await change();
    } catch (failure) {
      if (!(failure instanceof UncertainRefusal)) throw failure;
      const now = await asked.view();
      if (reached.includes(now.state)) return now;
      throw failure;
    }
  };
  return {
    ...asked,
    async contribute(file) {
      const receipt = await asked.contribute(file);
      if (receipt.digest !== digestBytes(file)) {
        throw mismatch('the receipt is for another contribution');
      }
      return receipt;
    },
    receipts: async () => (await asked.receipts()).receipts,
    async withdraw(request) {
      try {
        return await asked.withdraw(request);
      } catch (failure) {
        if (!(failure instanceof UncertainRefusal)) throw failure;
        throw new Refusal(
          failure.code,
          `the connection was cut while withdrawing; the repetition was refused: ${failure.message}`,
          'it may have been carried out: the audit log proves it, and the state of the study says so',
          { name: 'status' },
        );
      }
    },
    open: () => changeTo(asked.open, ['open', 'collecting', 'closed', 'resolved']),
    close: () => changeTo(asked.close, ['closed', 'resolved']),
    reopen: (deadline) => asked.reopen(deadline === undefined ? {} : { deadline }),
    extend: (deadline) => asked.extend({ deadline }),
    invite: (site, choices = {}) => asked.invite({ site, ...choices }),
    resolutions: async () => (await asked.resolutions()).resolutions,
    async total(number) {
      const found = await asked.resolution(number);
      return verifiedTotal(await asked.total(found.number), found);
    },
    events: (from, signal) =>
      watchEvents(transport, operationPath(operations.events.path, [link.study]), from, signal),
  };
}

function onStudy(asked: Asked, study: string): StudyOperations {
  const functions = Object.entries(asked)
    .filter(([name]) => operations[name as keyof Table].path.startsWith(STUDY))
    .map(([name, ask]) => [
      name,
      (...rest: readonly unknown[]) => (ask as (...input: unknown[]) => unknown)(study, ...rest),
    ]);
  return Object.fromEntries(functions);
}

/** Asks a coordinator for a study, as its operator. */
export async function createStudy(
  coordinator: string,
  operatorToken: string,
  request: CreateStudy,
  options: ClientOptions = {},
): Promise<StudyCreated> {
  const transport = createTransport(coordinator, operatorToken, options);
  const created = await operationClient(operations, transport).create(request);
  const digest = studyDigest(request.study);
  if (created.digest !== digest || created.id !== studyId(digest)) {
    throw mismatch('the study it made is not the one it was given');
  }
  return created;
}

/** All studies of a coordinator as its operator sees them, newest first. */
export async function listStudies(
  coordinator: string,
  operatorToken: string,
  options: ClientOptions = {},
): Promise<readonly StudyView[]> {
  const transport = createTransport(coordinator, operatorToken, options);
  const { studies } = await operationClient(operations, transport).list();
  return Promise.all(
    studies.map((view) =>
      // Who operates a coordinator has no link yet: a view must agree with itself.
      verifiedView(view, { study: view.id, coordinatorKey: view.coordinatorKey }),
    ),
  );
}
