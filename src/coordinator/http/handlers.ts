import { digestInHeader } from '../../protocol/content-digest.ts';
import type { SealedReceipt } from '../../protocol/messages.ts';
import { openapi } from '../../protocol/openapi.ts';
import type { Operations } from '../../protocol/operation.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { Caller, Coordinator, OwnHttp } from '../coordinator.ts';
import { storeUnavailable } from '../store-health.ts';
import { bearerToken } from './authenticate.ts';
import { createFairShares, type MostAtOnce } from './fair-shares.ts';
import { answerOf, type HttpAnswer } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';
import { keptAnswer } from './kept-answer.ts';
import type { Metrics } from './metrics.ts';
import { jsonAnswer } from './problem-answer.ts';
import { announcedBytes, mediaType, readBody } from './request-body.ts';
import { eventStream } from './sse.ts';
import type { UploadBudget } from './upload-budget.ts';

/** A request about a study, after its caller was identified. */
export interface RequestContext {
  readonly request: HttpRequest;
  readonly caller: Caller;
  readonly study: string;
  /** The segments of the path in their order, the study among them. */
  readonly segments: () => readonly unknown[];
}

/** Operations that need no token. */
type PublicName = 'health' | 'openapi';

/** Handlers of the operations that are more than one message in and one message out. */
export interface Handlers {
  readonly withoutToken: { readonly [Name in PublicName]: () => Promise<HttpAnswer> };
  readonly streamed: {
    readonly [Name in Exclude<OwnHttp, PublicName>]: (
      context: RequestContext,
    ) => Promise<HttpAnswer>;
  };
}

export interface HandlerDependencies {
  readonly operations: Operations;
  readonly coordinator: Coordinator;
  readonly metrics: Metrics;
  readonly budget: UploadBudget;
  readonly patienceMs: number;
  readonly heartbeatMs: number;
  /** Aborted when the process stops: ends the event streams. */
  readonly stopping: AbortSignal;
  /** Called when a study may have become due to resolve. */
  readonly checkDue: () => void;
}

const CONTRIBUTION_TYPES = ['application/octet-stream', 'application/vnd.suffice.contribution'];
/** How long the numbers of the store are kept for metrics: counting them reads whole tables. */
const GAUGES_MS = 10_000;
/** Event streams at the same time; a page that is open has one. */
const STREAMS: MostAtOnce = { token: 20, study: 250, all: 1000 };
/** Contributions that are sent at the same time; a second one of a site is one that is sent again. */
const UPLOADS: MostAtOnce = { token: 2, study: 1000, all: 5000 };

export function createHandlers(dependencies: HandlerDependencies): Handlers {
  const { coordinator, metrics, budget, patienceMs, checkDue } = dependencies;
  const gaugesOfStore = keptAnswer(() => coordinator.gauges(), GAUGES_MS);
  let document: string | undefined;
  const streams = createFairShares(STREAMS);
  const uploads = createFairShares(UPLOADS);
  const withoutToken: Handlers['withoutToken'] = {
    async health() {
      await coordinator.check().catch((failure) => {
        throw storeUnavailable(failure);
      });
      return jsonAnswer({ schema: 'suffice/health@1', status: 'ok' });
    },
    async openapi() {
      document ??= JSON.stringify(openapi(dependencies.operations));
      return answerOf(document, { 'Content-Type': 'application/json' });
    },
  };
  /** Runs the end of an upload, which gives a receipt, and counts it. */
  const contributed = async (
    caller: Caller,
    work: () => Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }>,
  ): Promise<HttpAnswer> => {
    let giveBack = () => {};
    try {
      giveBack = uploads.take(caller);
      const { receipt, created } = await work();
      metrics.add('suffice_contributions_total', { outcome: created ? 'accepted' : 'repeated' });
      checkDue();
      return jsonAnswer(receipt, statusOf(receipt, created));
    } catch (failure) {
      if (failure instanceof Refusal) {
        metrics.add('suffice_contributions_total', { outcome: 'refused' });
      }
      throw failure;
    } finally {
      giveBack();
    }
  };
  const streamed: Handlers['streamed'] = {
    async metrics() {
      const gauges = { ...(await gaugesOfStore()), upload_bytes_held: budget.held };
      const type = 'text/plain; version=0.0.4; charset=utf-8';
      return answerOf(metrics.text(gauges), { 'Content-Type': type });
    },
    contribute: ({ request, caller, study }) =>
      contributed(caller, async () => {
        if (!CONTRIBUTION_TYPES.includes(mediaType(request))) throw notContributionType();
        const { limit } = await coordinator.uploadLimits(caller, study, announcedBytes(request));
        return budget.use(request, study, async (share) => {
          const file = await readBody(request, { limit, share, patienceMs });
          return coordinator.contribute(caller, study, file);
        });
      }),
    contributeAsDevice: ({ request, caller, study }) =>
      contributed(caller, async () => {
        if (!CONTRIBUTION_TYPES.includes(mediaType(request))) throw notContributionType();
        const { limit } = await coordinator.deviceLimits(caller, study);
        return budget.use(request, study, async (share) => {
          const file = await readBody(request, { limit, share, patienceMs });
          return coordinator.contributeAsDevice(caller, study, file);
        });
      }),
    async sendBlock({ request, caller, study, segments }) {
      const [, file, number] = segments() as [string, string, number];
      const giveBack = uploads.take(caller);
      try {
        if (!CONTRIBUTION_TYPES.includes(mediaType(request))) throw notContributionType();
        const digest = digestInHeader(request.headers.get('Content-Digest'));
        if (digest === undefined) throw noDigest();
        await coordinator.uploadLimits(caller, study);
        const limit = coordinator.blockBytes;
        return await budget.use(request, study, async (share) => {
          const body = await readBody(request, { limit, share, patienceMs });
          return jsonAnswer(
            await coordinator.sendBlock(caller, study, file, { number, body, digest }),
          );
        });
      } finally {
        giveBack();
      }
    },
    contributeBlocks: ({ request, caller, study, segments }) =>
      contributed(caller, async () => {
        const [, file] = segments() as [string, string];
        await coordinator.uploadLimits(caller, study);
        return budget.use(request, study, async (share) => {
          await share.grow(await coordinator.uploadedBytes(caller, study, file));
          return coordinator.contributeBlocks(caller, study, file);
        });
      }),
    async events({ request, caller, study }) {
      await coordinator.view(caller, study); // refuses before the stream begins
      const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
      if (request.method === 'HEAD') return answerOf(null, headers);
      const giveBack = streams.take(caller);
      metrics.add('suffice_event_streams', {}, 1);
      const token = bearerToken(request)!;
      const from = lastEventId(request) + 1;
      const stream = eventStream((signal) => coordinator.watch(caller, study, from, signal), {
        signal: AbortSignal.any([request.signal, dependencies.stopping]),
        heartbeatMs: dependencies.heartbeatMs,
        stillAllowed: async () => (await coordinator.identify(token)) !== undefined,
        ended: () => {
          giveBack();
          metrics.add('suffice_event_streams', {}, -1);
        },
      });
      return answerOf(stream, headers);
    },
  };
  return { withoutToken, streamed };
}

/** 200 for a repeated contribution, 202 for a late one, 201 otherwise. */
function statusOf({ late }: SealedReceipt, created: boolean): number {
  if (!created) return 200;
  return late ? 202 : 201;
}

/** Position of the last event a client has seen; 0 if it has seen none. */
function lastEventId(request: HttpRequest): number {
  const text = request.headers.get('Last-Event-ID') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function noDigest(): Refusal {
  return new Refusal(
    'bad-request',
    'a block has its SHA-256 in Content-Digest',
    'send Content-Digest: sha-256=:…: (RFC 9530) with the block',
  );
}

function notContributionType(): Refusal {
  return new Refusal(
    'unsupported-type',
    'a contribution is sent as application/octet-stream',
    'set this Content-Type; the body is the file itself',
  );
}
