import { type Context, Hono } from 'hono';
import { DataError } from '../../data-error.ts';
import type { Traffic } from '../../protocol/messages.ts';
import type { Operation, Operations } from '../../protocol/operation.ts';
import { type OperationName, operations } from '../../protocol/operations.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { FormulaError } from '../../study/formula.ts';
import type { Caller, Coordinator, CoordinatorOperations } from '../coordinator.ts';
import { checkCaller, createGate, TooMany } from './authenticate.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { createMetrics } from './metrics.ts';
import { operationInput } from './operation-input.ts';
import {
  bareResponse,
  isPagePath,
  isTyped,
  lostResponse,
  type Page,
  pagePaths,
  pageResponse,
} from './page-response.ts';
import { operationResponse, refusalResponse, unexpectedResponse } from './problem-response.ts';
import { defaultRateLimits, type RateLimits } from './rate-limit.ts';
import { checkPath } from './request-path.ts';
import { secureResponse } from './security-headers.ts';
import { createUploadBudget } from './upload-budget.ts';

/** What the server knows of where a request comes from. */
export interface Connection {
  readonly address: string;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** The path as it was sent, before anything tidied it. */
  readonly path?: string;
  /** Bytes of request and response with their headers, once both are over. */
  readonly traffic?: Promise<Traffic>;
}

/** One request and its answer, as logs may tell it: no header, no value, no secret. */
export interface Exchange {
  readonly method: string;
  /** The pattern of the route, not the path. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly traffic?: Traffic;
  readonly study?: string;
  /** The code of the problem where it was refused. */
  readonly refused?: string;
  /** What nobody foresaw. */
  readonly failure?: unknown;
}

export interface AppOptions {
  /** What it serves: the operations of the table unless given. */
  readonly operations?: Operations;
  /** Files of the web page by path. */
  readonly pages?: (path: string) => Promise<Page | undefined>;
  readonly rateLimits?: RateLimits | 'off';
  /** Bytes of uploads held at once over all requests. */
  readonly uploadBytes?: number;
  /** How long a sender of a body may be silent. */
  readonly patienceMs?: number;
  readonly heartbeatMs?: number;
  /** Aborted when the process stops. */
  readonly stopping?: AbortSignal;
  /** Hears of every exchange once it is over. */
  readonly observe?: (exchange: Exchange) => void;
  /** Called when a study may have become due. */
  readonly attend?: () => void;
}

/** A coordinator as a function of requests. */
export interface App {
  fetch(request: Request, connection?: Connection): Promise<Response>;
}

const UPLOAD_BYTES = 64 * 2 ** 20;
const PATIENCE_MS = 60_000;
const HEARTBEAT_MS = 15_000;
/** After these a study may be due. */
const SETTLING: ReadonlySet<string> = new Set<OperationName>(['close', 'revoke', 'withdraw']);

/** What is found out about a request on its way. */
interface Trail {
  readonly connection: Connection;
  route: string;
  caller?: Caller;
  study?: string;
  refused?: string;
  failure?: unknown;
}

type Env = { Bindings: { trail: Trail } };

/** Puts HTTP in front of a coordinator. */
export function createApp(coordinator: Coordinator, options: AppOptions = {}): App {
  const { pages, rateLimits = defaultRateLimits, observe = () => {} } = options;
  const table = options.operations ?? operations;
  const attend = options.attend ?? (() => {});
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  const metrics = createMetrics();
  const gate = createGate(coordinator, rateLimits);
  const { withoutToken, streamed }: Handlers = createHandlers({
    operations: table,
    coordinator,
    metrics,
    patienceMs,
    budget: createUploadBudget(options.uploadBytes ?? UPLOAD_BYTES),
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    stopping: options.stopping ?? new AbortController().signal,
    attend,
  });

  const answer = async (name: string, row: Operation, context: Context<Env>) => {
    const request = context.req.raw;
    const { trail } = context.env;
    trail.route = row.path;
    if (row.who.length === 0) {
      gate.admitAnyone(trail.connection.address);
      return withoutToken[name as keyof Handlers['withoutToken']]();
    }
    const caller = await gate.admit(request, trail.connection.address);
    trail.caller = caller;
    const study = context.req.param('study');
    checkCaller(caller, row, study);
    if (study !== undefined) trail.study = study;
    if (name in streamed) {
      return streamed[name as keyof Handlers['streamed']]({ request, caller, study: study! });
    }
    const segment = (part: string) => context.req.param(part)!;
    const input = await operationInput(row, request, segment, patienceMs);
    const content = await operate(coordinator, name)(caller, ...input);
    if (SETTLING.has(name)) attend();
    return operationResponse(row, content);
  };

  const hono = new Hono<Env>();
  const rows = Object.values(table);
  for (const [name, row] of Object.entries(table)) {
    hono.on(row.method, row.path, (context) => answer(name, row, context));
  }
  for (const path of new Set(rows.map((row) => row.path))) {
    hono.all(path, ({ env: { trail } }) => {
      gate.admitAnyone(trail.connection.address);
      trail.route = path;
      return methodNotAllowed(
        rows.filter((row) => row.path === path),
        trail,
      );
    });
  }
  for (const path of pagePaths) {
    hono.get(path, async ({ req, env: { trail }, notFound }) => {
      trail.route = path;
      gate.admitAnyone(trail.connection.address);
      const page = isPagePath(req.path) ? await pages?.(req.path) : undefined;
      if (page !== undefined) return pageResponse(page, req.raw);
      return path === '/' ? bareResponse() : notFound();
    });
  }
  hono.notFound(async ({ req, env: { trail } }) => {
    if (!pagePaths.includes(trail.route)) gate.admitAnyone(trail.connection.address);
    const refused = refuse(
      new Refusal('not-found', 'there is nothing here', 'check the address'),
      trail,
    );
    const page = isTyped(req.raw) ? await pages?.('/') : undefined;
    return page === undefined ? refused : lostResponse(page);
  });
  hono.onError((failure, { env: { trail } }) => respondToFailure(failure, trail, coordinator));

  const finish = (trail: Trail, exchange: Exchange): void => {
    const { method, route, status, traffic } = exchange;
    metrics.add('suffice_requests_total', { method, route, status: String(status) });
    metrics.observe({ route }, exchange.milliseconds / 1000);
    if (trail.refused === 'too-many-requests') metrics.add('suffice_rate_limited_total', {});
    if (traffic !== undefined) {
      metrics.add('suffice_request_bytes_total', {}, traffic.up);
      metrics.add('suffice_response_bytes_total', {}, traffic.down);
      if (trail.caller?.role === 'site') {
        const { study, site } = trail.caller;
        coordinator.meter(study, site, traffic).catch(() => {}); // a figure, not worth a failure
      }
    }
    observe(exchange);
  };

  return {
    async fetch(request, connection = { address: 'local', secure: false }) {
      const started = performance.now();
      const trail: Trail = { connection, route: 'none' };
      let response: Response;
      try {
        checkPath(connection.path ?? new URL(request.url).pathname);
        response = await hono.fetch(request, { trail });
      } catch (failure) {
        response = await respondToFailure(failure, trail, coordinator);
      }
      secureResponse(response, connection.secure);
      const { route, study, refused, failure } = trail;
      const exchange: Exchange = {
        method: methodName(request.method),
        route,
        status: response.status,
        milliseconds: performance.now() - started,
        ...(study === undefined ? {} : { study }),
        ...(refused === undefined ? {} : { refused }),
        ...(failure === undefined ? {} : { failure }),
      };
      if (connection.traffic === undefined) finish(trail, exchange);
      else connection.traffic.then((traffic) => finish(trail, { ...exchange, traffic }));
      return response;
    },
  };
}

type Operate = (caller: Caller, ...input: readonly unknown[]) => Promise<unknown>;

/** What the coordinator does for an operation: its function of that name. */
function operate(coordinator: Coordinator, name: string): Operate {
  return coordinator[name as keyof CoordinatorOperations] as Operate;
}

function methodNotAllowed(rows: readonly Operation[], trail: Trail): Response {
  const methods: string[] = rows.map((row) => row.method);
  const allow = (methods.includes('GET') ? ['HEAD', ...methods] : methods).sort().join(', ');
  const refusal = new Refusal('method-not-allowed', 'not with this method', `use ${allow}`);
  return refuse(refusal, trail, { Allow: allow });
}

function refuse(
  refusal: Refusal,
  trail: Trail,
  headers: Readonly<Record<string, string>> = {},
): Response {
  trail.refused = refusal.code;
  return refusalResponse(refusal, headers);
}

/** Turns whatever was thrown into a response; what nobody foresaw goes to the log alone. */
async function respondToFailure(
  failure: unknown,
  trail: Trail,
  coordinator: Coordinator,
): Promise<Response> {
  if (failure instanceof TooMany) {
    return refuse(failure, trail, { 'Retry-After': String(failure.seconds) });
  }
  if (failure instanceof Refusal) return refuse(failure, trail);
  if (failure instanceof DataError || failure instanceof FormulaError) {
    return refuse(new Refusal('unprocessable', failure.message, failure.remedy), trail);
  }
  trail.failure = failure;
  try {
    await coordinator.check();
  } catch {
    const silent = new Refusal('store-unavailable', 'the store does not answer', 'try again later');
    return refuse(silent, trail);
  }
  return unexpectedResponse();
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** The method, or `other`: labels must not be the sender's to choose. */
function methodName(method: string): string {
  return METHODS.includes(method) ? method : 'other';
}
