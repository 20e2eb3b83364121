import { hasNonce } from '../statistic/envelope.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { studyDigest } from '../study/study.ts';
import type { Link } from './link.ts';
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
import { sendInBlocks } from './send-blocks.ts';
import { studyId } from './study-part.ts';
import { type ClientOptions, createTransport, UncertainRefusal } from './transport.ts';
import { mismatch, verified, verifiedTotal, verifiedView } from './verified.ts';
import { watchEvents } from './watch-events.ts';

export type { ClientOptions } from './transport.ts';

const STUDY = '/studies/:study';
/** Of larger files the coordinator is asked whether it takes blocks: after an interruption only the rest is sent. */
const BLOCKS_FROM = 2 ** 20;

/** Operations on one study, without their first argument, the id of the study. */
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

/** Operations with other arguments or results than in the table of operations. */
interface Reshaped {
  receipts(): Promise<readonly SealedReceipt[]>;
  reopen(deadline?: string): Promise<StudyView>;
  extend(deadline: string): Promise<StudyView>;
  invite(site: string, options?: Omit<InviteSite, 'site'>): Promise<InvitationSecret>;
  resolutions(): Promise<readonly ResolutionLine[]>;
  /** The exact sum of a resolution, checked against the digest in its signed report. */
  total(number: number | 'latest'): Promise<Statistic>;
  /** Log entries from a position onwards (the first is 1), then each new one until the signal. */
  events(from: number, signal: AbortSignal): AsyncIterable<AuditEntry>;
}

/**
 * Client of one study, from its link. Every answer is checked against the link: the digest of the
 * study, the layout, and the coordinator's signatures. Throws `Refusal` if the coordinator refuses,
 * and `NetworkFailure` for every other failure. A contribution is sent again until it is
 * acknowledged; the coordinator stores it once. A large one is sent in blocks.
 */
export interface StudyClient extends Omit<StudyOperations, keyof Reshaped>, Reshaped {}

/** A client for one study, by the link of a site or of the analyst. */
export function studyClient(link: Link, options: ClientOptions = {}): StudyClient {
  const transport = createTransport(link.coordinator, link.token, options);
  const calls = onStudy(
    operationClient(operations, transport, {
      ...options,
      // The length of compressed sums tells something about the rows.
      neverCompressed: hasNonce,
      verify: (name, message) => verified(name, message, link),
    }),
    link.study,
  );
  /** If the answer to a change was lost and its repetition is refused, a state in `reached` means success. */
  const changeTo = async (
    change: () => Promise<StudyView>,
    reached: readonly StudyView['state'][],
  ) => {
    try {
      return await change();
    } catch (failure) {
      if (!(failure instanceof UncertainRefusal)) throw failure;
      const now = await calls.view();
      if (reached.includes(now.state)) return now;
      throw failure;
    }
  };
  return {
    ...calls,
    async contribute(file) {
      const large = file.length > (options.blocksFrom ?? BLOCKS_FROM);
      const inBlocks = large ? await sendInBlocks(calls, file, options.onUpload) : undefined;
      const receipt = inBlocks ?? (await calls.contribute(file));
      if (receipt.digest !== digestBytes(file)) {
        throw mismatch('the receipt is for another contribution');
      }
      return receipt;
    },
    receipts: async () => (await calls.receipts()).receipts,
    async withdraw(request) {
      try {
        return await calls.withdraw(request);
      } catch (failure) {
        if (!(failure instanceof UncertainRefusal)) throw failure;
        throw new Refusal(
          failure.code,
          `the connection was lost during the withdrawal, and the second attempt was refused: ${failure.message}`,
          'the withdrawal may have been carried out: check the state of the study, or its audit log',
          { name: 'status' },
        );
      }
    },
    open: () => changeTo(calls.open, ['open', 'collecting', 'closed', 'resolved']),
    close: () => changeTo(calls.close, ['closed', 'resolved']),
    reopen: (deadline) => calls.reopen(deadline === undefined ? {} : { deadline }),
    extend: (deadline) => calls.extend({ deadline }),
    invite: (site, choices = {}) => calls.invite({ site, ...choices }),
    resolutions: async () => (await calls.resolutions()).resolutions,
    async total(number) {
      const found = await calls.resolution(number);
      return verifiedTotal(await calls.total(found.number), found);
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

/** Creates a study on a coordinator, as its operator. */
export async function postStudy(
  coordinator: string,
  operatorToken: string,
  request: CreateStudy,
  options: ClientOptions = {},
): Promise<StudyCreated> {
  const transport = createTransport(coordinator, operatorToken, options);
  const created = await operationClient(operations, transport).create(request);
  const digest = studyDigest(request.study);
  if (created.digest !== digest || created.id !== studyId(digest)) {
    throw mismatch('the study it created is not the one it was given');
  }
  return created;
}

/** All studies of a coordinator, for its operator, newest first. */
export async function requestStudies(
  coordinator: string,
  operatorToken: string,
  options: ClientOptions = {},
): Promise<readonly StudyView[]> {
  const transport = createTransport(coordinator, operatorToken, options);
  const { studies } = await operationClient(operations, transport).list();
  return Promise.all(
    studies.map((view) =>
      // The operator has no link to check against: each view must be consistent in itself.
      verifiedView(view, { study: view.id, coordinatorKey: view.coordinatorKey }),
    ),
  );
}
