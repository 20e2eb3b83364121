import type { Inquiry } from '../analysis/inquiry.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { studyDigest } from '../study/study.ts';
import { type Link, studyId } from './link.ts';
import type {
  AuditEntry,
  CreateStudy,
  InvitationSecret,
  Offer,
  OfferAnswer,
  ResolutionLine,
  SealedAnalysis,
  SealedAuditLog,
  SealedErasure,
  SealedReceipt,
  SealedResolution,
  SealedWithdrawal,
  StudyCreated,
  StudyView,
} from './messages.ts';
import { NetworkFailure } from './network-failure.ts';
import { Refusal } from './refusal.ts';
import {
  type ClientOptions,
  createTransport,
  type Exchange,
  type Transport,
  UncertainRefusal,
} from './transport.ts';
import {
  mismatch,
  verifiedErasure,
  verifiedLog,
  verifiedReceipt,
  verifiedResolution,
  verifiedTotal,
  verifiedView,
} from './verified.ts';
import { watchEvents } from './watch-events.ts';

export type { ClientOptions } from './transport.ts';

/**
 * A study as the holder of a link reaches it. Everything that comes back is checked against the
 * link: the study's digest, the layout, and whose signature is on what is signed. Throws `Refusal` for what the
 * coordinator will not do and `NetworkFailure` for everything else.
 */
export interface StudyClient {
  view(): Promise<StudyView>;
  offer(offer: Offer): Promise<OfferAnswer>;
  /** Sends a contribution's file; again and again until it is acknowledged, which counts once. */
  contribute(file: Uint8Array): Promise<SealedReceipt>;
  receipts(): Promise<readonly SealedReceipt[]>;
  withdraw(
    request: { readonly withdrawal: SealedWithdrawal } | { readonly site: string },
  ): Promise<SealedErasure>;
  open(): Promise<StudyView>;
  close(): Promise<StudyView>;
  reopen(deadline?: string): Promise<StudyView>;
  extend(deadline: string): Promise<StudyView>;
  invite(
    site: string,
    options?: { readonly expires?: string; readonly forgetKey?: boolean },
  ): Promise<InvitationSecret>;
  revoke(site: string): Promise<void>;
  resolve(options: { readonly includeLate: boolean }): Promise<SealedResolution>;
  resolutions(): Promise<readonly ResolutionLine[]>;
  resolution(number: number | 'latest'): Promise<SealedResolution>;
  /** The exact sum a resolution was made of, checked against the digest in its signed report. */
  total(number: number | 'latest'): Promise<Statistic>;
  /** Another look at what the newest resolution was made of, checked. */
  analyse(inquiry: Inquiry): Promise<SealedAnalysis>;
  auditLog(): Promise<SealedAuditLog>;
  /** Entries of the log from a position (from 1) on, then each new one until the signal ends it. */
  events(from: number, signal: AbortSignal): AsyncIterable<AuditEntry>;
}

export function studyClient(link: Link, options: ClientOptions = {}): StudyClient {
  const transport = createTransport(link.coordinator, link.token, options);
  const place = `/studies/${link.study}`;
  const get = <T>(path: string, schema: string) =>
    exchange<T>(transport, { method: 'GET', path: `${place}${path}`, repeat: 'always' }, schema);
  const post = <T>(
    path: string,
    body: object,
    schema: string | undefined,
    repeat: Exchange['repeat'],
  ) => exchange<T>(transport, jsonExchange('POST', `${place}${path}`, body, repeat), schema);
  const view = async () => verifiedView(await get<StudyView>('', 'suffice/study-view@1'), link);
  const change = async (path: string, body: object, repeat: Exchange['repeat']) =>
    verifiedView(await post<StudyView>(path, body, 'suffice/study-view@1', repeat), link);
  /** A change that a lost answer may have hidden: then the state it leads to counts as done. */
  const changeTo = async (path: string, reached: readonly StudyView['state'][]) => {
    try {
      return await change(path, {}, 'always');
    } catch (failure) {
      if (!(failure instanceof UncertainRefusal)) throw failure;
      const now = await view();
      if (reached.includes(now.state)) return now;
      throw failure;
    }
  };
  const resolution = async (number: number | 'latest') => {
    const schema = 'suffice/resolution@1';
    const found = await get<SealedResolution>(`/resolutions/${number}`, schema);
    return verifiedResolution(found, link);
  };

  return {
    view,
    offer: (offer) =>
      exchange<OfferAnswer>(
        transport,
        jsonExchange('PUT', `${place}/offer`, offer, 'always'),
        'suffice/offer-answer@1',
      ),
    async contribute(file) {
      const { body, headers } =
        options.uploads === 'as-they-are' ? { body: file, headers: {} } : await compressed(file);
      const receipt = await exchange<SealedReceipt>(
        transport,
        {
          method: 'POST',
          path: `${place}/contributions`,
          headers: { 'content-type': 'application/octet-stream', ...headers },
          body,
          repeat: 'always',
        },
        'suffice/receipt@1',
      );
      if (receipt.digest !== digestBytes(file)) {
        throw mismatch('the receipt is for another contribution');
      }
      return verifiedReceipt(receipt, link);
    },
    async receipts() {
      const answer = await get<{ readonly receipts: readonly SealedReceipt[] }>(
        '/contributions',
        'suffice/receipts@1',
      );
      return answer.receipts.map((receipt) => verifiedReceipt(receipt, link));
    },
    async withdraw(request) {
      try {
        const schema = 'suffice/erasure@1';
        const erasure = await post<SealedErasure>('/withdrawals', request, schema, 'always');
        return verifiedErasure(erasure, link);
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
    open: () => changeTo('/open', ['open', 'collecting', 'closed', 'resolved']),
    close: () => changeTo('/close', ['closed', 'resolved']),
    reopen: (deadline) =>
      change('/reopen', deadline === undefined ? {} : { deadline }, 'when-untouched'),
    extend: (deadline) => change('/extend', { deadline }, 'always'),
    invite: (site, choices = {}) =>
      post<InvitationSecret>('/invitations', { site, ...choices }, undefined, 'when-untouched'),
    async revoke(site) {
      const path = `${place}/invitations/${encodeURIComponent(site)}`;
      await transport.send({ method: 'DELETE', path, repeat: 'always' });
    },
    async resolve(choices) {
      const schema = 'suffice/resolution@1';
      const made = await post<SealedResolution>('/resolutions', choices, schema, 'when-untouched');
      return verifiedResolution(made, link);
    },
    async resolutions() {
      const answer = await get<{ readonly resolutions: readonly ResolutionLine[] }>(
        '/resolutions',
        'suffice/resolutions@1',
      );
      return answer.resolutions;
    },
    resolution,
    async total(number) {
      const found = await resolution(number);
      const path = `${place}/resolutions/${found.number}/total`;
      const bytes = await transport.send({ method: 'GET', path, repeat: 'always' });
      return verifiedTotal(bytes, found);
    },
    async analyse(inquiry) {
      const schema = 'suffice/analysis@1';
      const made = await post<SealedAnalysis>('/analyses', inquiry, schema, 'always');
      return verifiedResolution(made, link);
    },
    async auditLog() {
      return verifiedLog(await get<SealedAuditLog>('/audit-log', 'suffice/audit-log@1'), link);
    },
    events: (from, signal) => watchEvents(transport, `${place}/events`, from, signal),
  };
}

/** Asks a coordinator for a study, as its operator. */
export async function createStudy(
  coordinator: string,
  operatorToken: string,
  request: CreateStudy,
  options: ClientOptions = {},
): Promise<StudyCreated> {
  const transport = createTransport(coordinator, operatorToken, options);
  const created = await exchange<StudyCreated>(
    transport,
    jsonExchange('POST', '/studies', request, 'when-untouched'),
    'suffice/study-created@1',
  );
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
  const { studies } = await exchange<{ readonly studies: readonly StudyView[] }>(
    transport,
    { method: 'GET', path: '/studies', repeat: 'always' },
    'suffice/studies@1',
  );
  return Promise.all(
    studies.map((view) =>
      // Who operates a coordinator has no link yet: a view must agree with itself.
      verifiedView(view, { study: view.id, coordinatorKey: view.coordinatorKey }),
    ),
  );
}

function jsonExchange(
  method: Exchange['method'],
  path: string,
  body: object,
  repeat: Exchange['repeat'],
): Exchange {
  const headers = { 'content-type': 'application/json' };
  return { method, path, headers, body: new TextEncoder().encode(JSON.stringify(body)), repeat };
}

async function exchange<T>(
  transport: Transport,
  request: Exchange,
  schema: string | undefined,
): Promise<T> {
  const text = new TextDecoder().decode(await transport.send(request));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw notACoordinator();
  }
  if (typeof json !== 'object' || json === null) throw notACoordinator();
  if (schema !== undefined && (json as { schema?: unknown }).schema !== schema) {
    throw notACoordinator();
  }
  return json as T;
}

function notACoordinator(): NetworkFailure {
  return new NetworkFailure(
    'the answer is not that of a coordinator of this version',
    'check the address, and that both sides run the same version of suffice',
  );
}

/** Below this many bytes compressing saves no packet. */
const WORTH_COMPRESSING = 1400;

async function compressed(
  file: Uint8Array,
): Promise<{ readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> }> {
  if (file.length < WORTH_COMPRESSING) return { body: file, headers: {} };
  const stream = new Blob([file as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('gzip'));
  const body = new Uint8Array(await new Response(stream).arrayBuffer());
  if (body.length >= file.length) return { body: file, headers: {} };
  return { body, headers: { 'content-encoding': 'gzip' } };
}
