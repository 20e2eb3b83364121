import { siteName } from '../../protocol/message-schemas.ts';
import { openapi } from '../../protocol/openapi.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { RequestBodies, RouteName } from '../../protocol/routes.ts';
import type { Caller, Coordinator } from '../coordinator.ts';
import { bearerToken } from './authenticate.ts';
import type { Metrics } from './metrics.ts';
import { jsonResponse } from './problem-response.ts';
import { mediaType, readBody } from './request-body.ts';
import { eventStream } from './sse.ts';
import type { UploadBudget } from './upload-budget.ts';

/** A request that has been let in. */
export interface Ask {
  readonly request: Request;
  readonly caller: Caller;
  /** Parts of the path by name, decoded. */
  readonly part: (name: string) => string;
}

/** Routes that need no token. */
export type PublicRoute = 'health' | 'metrics' | 'openapi';

type BodyOf<Name> = Name extends keyof RequestBodies ? RequestBodies[Name] : undefined;
type Handler<Name> = Name extends PublicRoute
  ? () => Promise<Response>
  : (ask: Ask, body: BodyOf<Name>) => Promise<Response>;

/** What is done for each route. */
export type Handlers = { readonly [Name in RouteName]: Handler<Name> };

export interface HandlerParts {
  readonly coordinator: Coordinator;
  readonly metrics: Metrics;
  readonly budget: UploadBudget;
  readonly patienceMs: number;
  readonly heartbeatMs: number;
  /** Aborted when the process stops: ends the event streams. */
  readonly stopping: AbortSignal;
  /** Called when a study may have become due. */
  readonly attend: () => void;
}

const CONTRIBUTION_TYPES = ['application/octet-stream', 'application/vnd.suffice.contribution'];
const MOST_STREAMS = 1000;

export function createHandlers(parts: HandlerParts): Handlers {
  const { coordinator, metrics, budget, patienceMs, attend } = parts;
  let document: string | undefined;
  let streams = 0;
  const countStreams = (change: number): void => {
    streams += change;
    metrics.add('suffice_event_streams', {}, change);
  };
  return {
    async health() {
      try {
        await coordinator.check();
      } catch {
        throw new Refusal('store-unavailable', 'the store does not answer', 'try again later');
      }
      return jsonResponse({ schema: 'suffice/health@1', status: 'ok' });
    },
    async metrics() {
      const gauges = { ...(await coordinator.figures()), upload_bytes_held: budget.held };
      const type = 'text/plain; version=0.0.4; charset=utf-8';
      return new Response(metrics.text(gauges), { headers: { 'Content-Type': type } });
    },
    async openapi() {
      document ??= JSON.stringify(openapi());
      return new Response(document, { headers: { 'Content-Type': 'application/json' } });
    },

    async createStudy({ caller }, body) {
      return jsonResponse(await coordinator.create(caller, body), 201);
    },
    async listStudies({ caller }) {
      const studies = await coordinator.list(caller);
      return jsonResponse({ schema: 'suffice/studies@1', studies });
    },
    async viewStudy({ caller, part }) {
      return jsonResponse(await coordinator.view(caller, part('study')));
    },
    async openStudy({ caller, part }) {
      return jsonResponse(await coordinator.open(caller, part('study')));
    },
    async closeStudy({ caller, part }) {
      const view = await coordinator.close(caller, part('study'));
      attend();
      return jsonResponse(view);
    },
    async reopenStudy({ caller, part }, { deadline }) {
      return jsonResponse(await coordinator.reopen(caller, part('study'), deadline));
    },
    async extendStudy({ caller, part }, { deadline }) {
      return jsonResponse(await coordinator.extend(caller, part('study'), deadline));
    },

    async inviteSite({ caller, part }, { site, ...options }) {
      return jsonResponse(await coordinator.invite(caller, part('study'), site, options), 201);
    },
    async revokeSite({ caller, part }) {
      const site = part('site');
      if (!siteName.safeParse(site).success) throw noSuchPart('site');
      await coordinator.revoke(caller, part('study'), site);
      attend();
      return new Response(null, { status: 204 });
    },
    async putOffer({ caller, part }, offer) {
      return jsonResponse(await coordinator.offer(caller, part('study'), offer));
    },

    async contribute({ request, caller, part }) {
      const study = part('study');
      try {
        if (!CONTRIBUTION_TYPES.includes(mediaType(request))) throw notContributionType();
        const { limit } = await coordinator.intake(caller, study);
        const { receipt, created } = await budget.use(request.signal, async (share) => {
          const file = await readBody(request, { limit, share, patienceMs });
          return coordinator.contribute(caller, study, file);
        });
        metrics.add('suffice_contributions_total', { outcome: created ? 'accepted' : 'repeated' });
        attend();
        return jsonResponse(receipt, !created ? 200 : receipt.late ? 202 : 201);
      } catch (failure) {
        if (failure instanceof Refusal) {
          metrics.add('suffice_contributions_total', { outcome: 'refused' });
        }
        throw failure;
      }
    },
    async listReceipts({ caller, part }) {
      const receipts = await coordinator.receipts(caller, part('study'));
      return jsonResponse({ schema: 'suffice/receipts@1', receipts });
    },
    async withdrawSite({ caller, part }, body) {
      if (caller.role === 'site' && !('withdrawal' in body)) {
        throw new Refusal(
          'not-allowed',
          'a site leaves with a withdrawal it has signed',
          'send {"withdrawal": …} signed with the site’s key',
        );
      }
      const erasure = await coordinator.withdraw(caller, part('study'), body);
      attend();
      return jsonResponse(erasure);
    },

    async resolveStudy({ caller, part }, options) {
      return jsonResponse(await coordinator.resolve(caller, part('study'), options), 201);
    },
    async listResolutions({ caller, part }) {
      const resolutions = await coordinator.resolutions(caller, part('study'));
      return jsonResponse({ schema: 'suffice/resolutions@1', resolutions });
    },
    async getResolution({ caller, part }) {
      const number = resolutionNumber(part('number'));
      return jsonResponse(await coordinator.resolution(caller, part('study'), number));
    },
    async getTotal({ caller, part }) {
      const number = resolutionNumber(part('number'));
      const total = await coordinator.total(caller, part('study'), number);
      const headers = { 'Content-Type': 'application/octet-stream' };
      return new Response(total as Uint8Array<ArrayBuffer>, { headers });
    },
    async analyseStudy({ caller, part }, inquiry) {
      return jsonResponse(await coordinator.analyse(caller, part('study'), inquiry));
    },
    async getAuditLog({ caller, part }) {
      return jsonResponse(await coordinator.auditLog(caller, part('study')));
    },
    async watchEvents({ request, caller, part }) {
      await coordinator.view(caller, part('study')); // refuses before the stream begins
      const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };
      if (request.method === 'HEAD') return new Response(null, { headers });
      if (streams >= MOST_STREAMS) {
        throw new Refusal('too-many-requests', 'too many watchers', 'try again later');
      }
      const token = bearerToken(request)!;
      const from = lastEventId(request) + 1;
      countStreams(1);
      const stream = eventStream(
        (signal) => coordinator.watch(caller, part('study'), from, signal),
        {
          signal: AbortSignal.any([request.signal, parts.stopping]),
          heartbeatMs: parts.heartbeatMs,
          stillAllowed: async () => (await coordinator.identify(token)) !== undefined,
          ended: () => countStreams(-1),
        },
      );
      return new Response(stream, { headers });
    },
  };
}

/** Position of the last event a client has seen; 0 for none. */
function lastEventId(request: Request): number {
  const text = request.headers.get('Last-Event-ID') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function resolutionNumber(text: string): number | 'latest' {
  if (text === 'latest') return text;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw noSuchPart('resolution');
  return Number(text);
}

function noSuchPart(what: string): Refusal {
  return new Refusal('not-found', `there is no such ${what}`, 'check the address');
}

function notContributionType(): Refusal {
  return new Refusal(
    'unsupported-type',
    'a contribution is sent as application/octet-stream',
    'set the Content-Type; the body is the file itself',
  );
}
