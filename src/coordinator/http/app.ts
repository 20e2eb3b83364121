import { type Context, Hono } from 'hono';
import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import type { Traffic } from '../../protocol/messages.ts';
import type { Operation, Operations } from '../../protocol/operation.ts';
import { type OperationName, operations } from '../../protocol/operations.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { studyOfPart } from '../../protocol/study-part.ts';
import { FormulaError } from '../../study/formula.ts';
import type { Caller, Coordinator, CoordinatorOperations } from '../coordinator.ts';
import { storeUnavailable } from '../store-health.ts';
import { checkCaller, createGate, TooMany } from './authenticate.ts';
import { createFairShares, type MostAtOnce } from './fair-shares.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { answerOf, type HttpAnswer, responseOf } from './http-answer.ts';
import type { HttpRequest } from './http-request.ts';
import { createLongAnswers } from './long-answers.ts';
import { createMetrics } from './metrics.ts';
import { operationInput, pathSegments } from './operation-input.ts';
import {
  bareAnswer,
  isPagePath,
  isTyped,
  lostAnswer,
  pageAnswer,
  pagePaths,
  type StaticPage,
} from './page-answer.ts';
import { operationAnswer, refusalAnswer, unexpectedAnswer } from './problem-answer.ts';
import {
  createRateLimiter,
  defaultRateLimits,
  type Rate,
  type RateLimits,
  unlimited,
} from './rate-limit.ts';
import { checkPath } from './request-path.ts';
import { secureAnswer } from './security-headers.ts';
import { createUploadBudget } from './upload-budget.ts';

/** Where a request comes from. */
export interface Connection {
  readonly address: string;
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** The path as the client sent it, before normalization. */
  readonly path?: string;
  /** Bytes of request and response with headers, after both have ended. */
  readonly traffic?: Promise<Traffic>;
}

/** One request and its answer for the log: no header, no value, no secret. */
export interface RequestRecord {
  readonly method: string;
  /** The pattern of the route, not the path. */
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly traffic?: Traffic;
  readonly study?: string;
  /** The code of the problem, if it was refused. */
  readonly refused?: string;
  /** An unexpected error. */
  readonly failure?: unknown;
}

export interface AppOptions {
  /** The operations to serve; all of them unless given. */
  readonly operations?: Operations;
  /** Files of the web page by path. */
  readonly pages?: (path: string) => Promise<StaticPage | undefined>;
  readonly rateLimits?: RateLimits | 'off';
  /** Most bytes of uploads in memory, over all requests. */
  readonly uploadBytes?: number;
  /** How long a client may pause while it sends a body. */
  readonly patienceMs?: number;
  readonly heartbeatMs?: number;
  /** Aborted when the process stops. */
  readonly stopping?: AbortSignal;
  /** Called for every request after it has ended. */
  readonly observe?: (exchange: RequestRecord) => void;
  /** Called when a study may have become due to resolve. */
  readonly checkDue?: () => void;
}

/** A coordinator as a function from request to response. */
export interface App {
  answer(request: HttpRequest, connection?: Connection): Promise<HttpAnswer>;
  /** The same with the objects of the web. */
  fetch(request: Request, connection?: Connection): Promise<Response>;
}

const UPLOAD_BYTES = 64 * 2 ** 20;
const PATIENCE_MS = 60_000;
const HEARTBEAT_MS = 15_000;
/** Bodies in JSON that are read at the same time. */
const BODIES: MostAtOnce = { token: 20, study: 200, all: 2000 };
/** Offers and withdrawals of a site: each may be logged, and everyone reads the log. */
const LOGGED: Rate = { perSecond: 1000 / 86_400, burst: 200 };
/** Operations after which a study may be due to resolve. */
const MAY_MAKE_DUE: ReadonlySet<string> = new Set<OperationName>(['close', 'revoke', 'withdraw']);

/** What becomes known while a request is answered; goes to log and metrics. */
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
  const checkDue = options.checkDue ?? (() => {});
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  const metrics = createMetrics();
  const gate = createGate(coordinator, rateLimits);
  const bodies = createFairShares(BODIES);
  const longAnswers = createLongAnswers();
  const logged = rateLimits === 'off' ? unlimited : createRateLimiter(LOGGED);
  const { withoutToken, streamed }: Handlers = createHandlers({
    operations: table,
    coordinator,
    metrics,
    patienceMs,
    budget: createUploadBudget(options.uploadBytes ?? UPLOAD_BYTES),
    heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
    stopping: options.stopping ?? new AbortController().signal,
    checkDue,
  });

  const answer = async (name: string, operation: Operation, context: Context<Env>) => {
    const request: HttpRequest = context.req.raw;
    const { trail } = context.env;
    trail.route = operation.path;
    if (operation.who.length === 0) {
      gate.admitAnyone(trail.connection.address);
      return withoutToken[name as keyof Handlers['withoutToken']]();
    }
    const study = idOf(context.req.param('study'));
    const caller = await gate.admit(request, trail.connection.address, study);
    trail.caller = caller;
    checkCaller(caller, operation, study);
    if (study !== undefined) trail.study = study;
    const segment = (part: string) => (part === 'study' ? study! : context.req.param(part)!);
    if (name in streamed) {
      return streamed[name as keyof Handlers['streamed']]({
        ...{ request, caller, study: study! },
        segments: () => pathSegments(operation.path, segment),
      });
    }
    if (caller.role === 'site' && (name === 'offer' || name === 'withdraw')) {
      const seconds = logged.take(`${caller.study} ${caller.site}`);
      if (seconds > 0) throw new TooMany(seconds);
    }
    const giveBack = bodies.take(caller);
    const input = await operationInput(operation, request, segment, patienceMs).finally(giveBack);
    const content = await longAnswers.run(name, caller, () =>
      operate(coordinator, name)(caller, ...input),
    );
    if (MAY_MAKE_DUE.has(name)) checkDue();
    return operationAnswer(operation, content);
  };

  const hono = new Hono<Env>();
  const rows = Object.values(table);
  for (const [name, operation] of Object.entries(table)) {
    hono.on(operation.method, operation.path, (context) =>
      routed(answer(name, operation, context)),
    );
  }
  for (const path of new Set(rows.map((row) => row.path))) {
    hono.all(path, ({ env: { trail } }) => {
      gate.admitAnyone(trail.connection.address);
      trail.route = path;
      const own = rows.filter((row) => row.path === path);
      return routed(methodNotAllowed(own, trail));
    });
  }
  for (const path of pagePaths) {
    hono.get(path, async ({ req, env: { trail }, notFound }) => {
      trail.route = path;
      gate.admitAnyone(trail.connection.address);
      const page = isPagePath(req.path) ? await pages?.(req.path) : undefined;
      if (page !== undefined) return routed(pageAnswer(page, req.raw));
      return path === '/' ? routed(bareAnswer()) : notFound();
    });
  }
  hono.notFound(async ({ req, env: { trail } }) => {
    if (!pagePaths.includes(trail.route)) gate.admitAnyone(trail.connection.address);
    const refused = refuse(
      new Refusal('not-found', 'there is nothing at this address', 'check the address'),
      trail,
    );
    const page = isTyped(req.raw) ? await pages?.('/') : undefined;
    return routed(page === undefined ? refused : lostAnswer(page));
  });
  hono.onError((failure, { env: { trail } }) =>
    routed(answerToFailure(failure, trail, coordinator)),
  );

  /** The answer to HEAD is that to GET without a body; the router knows no HEAD. */
  const dispatch = async (request: HttpRequest, trail: Trail): Promise<HttpAnswer> => {
    const given = await hono.fetch(request as Request, { trail });
    if (!(given instanceof Response)) return given as unknown as HttpAnswer;
    const headers = Array.from(given.headers, ([name, value]) => [usualSpelling(name), value]);
    return answerOf(null, Object.fromEntries(headers), given.status);
  };

  const finish = (trail: Trail, exchange: RequestRecord): void => {
    const { method, route, status, traffic } = exchange;
    metrics.add('suffice_requests_total', { method, route, status: String(status) });
    metrics.observe({ route }, exchange.milliseconds / 1000);
    if (trail.refused === 'too-many-requests') metrics.add('suffice_rate_limited_total', {});
    if (traffic !== undefined) {
      metrics.add('suffice_request_bytes_total', {}, traffic.up);
      metrics.add('suffice_response_bytes_total', {}, traffic.down);
      if (trail.caller?.role === 'site') {
        const { study, site } = trail.caller;
        coordinator.countTraffic(study, site, traffic).catch(() => {}); // a lost count must not fail a request
      }
    }
    observe(exchange);
  };

  const answered: App['answer'] = async (
    request,
    connection = { address: 'local', secure: false },
  ) => {
    const started = performance.now();
    const trail: Trail = { connection, route: 'none' };
    let response: HttpAnswer;
    try {
      checkPath(connection.path ?? new URL(request.url).pathname);
      response = await dispatch(request, trail);
    } catch (failure) {
      response = await answerToFailure(failure, trail, coordinator);
    }
    const { route, study, refused, failure } = trail;
    const exchange: RequestRecord = {
      method: methodName(request.method),
      route,
      status: response.status,
      milliseconds: performance.now() - started,
      ...defined({ study, refused, failure }),
    };
    if (connection.traffic === undefined) finish(trail, exchange);
    else connection.traffic.then((traffic) => finish(trail, { ...exchange, traffic }));
    return secureAnswer(response, connection.secure);
  };
  return {
    answer: answered,
    fetch: async (request, connection) => responseOf(await answered(request, connection)),
  };
}

/** `content-type` as `Content-Type`. */
function usualSpelling(name: string): string {
  return name.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}

/** The router hands on what a route gives it: an answer serves as well as a response. */
function routed(answer: HttpAnswer | Promise<HttpAnswer>): Response {
  return answer as unknown as Response;
}

type Operate = (caller: Caller, ...input: readonly unknown[]) => Promise<unknown>;

/** The coordinator's function for an operation. */
function operate(coordinator: Coordinator, name: string): Operate {
  return coordinator[name as keyof CoordinatorOperations] as Operate;
}

function methodNotAllowed(rows: readonly Operation[], trail: Trail): HttpAnswer {
  const methods: string[] = rows.map((row) => row.method);
  const allow = (methods.includes('GET') ? ['HEAD', ...methods] : methods).sort().join(', ');
  const refusal = new Refusal(
    'method-not-allowed',
    'this address does not allow this method',
    `use ${allow}`,
  );
  return refuse(refusal, trail, { Allow: allow });
}

function refuse(
  refusal: Refusal,
  trail: Trail,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  trail.refused = refusal.code;
  return refusalAnswer(refusal, headers);
}

/** The response to an error; details of an unexpected error go only to the log. */
async function answerToFailure(
  failure: unknown,
  trail: Trail,
  coordinator: Coordinator,
): Promise<HttpAnswer> {
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
  } catch (unavailable) {
    return refuse(storeUnavailable(unavailable), trail);
  }
  return unexpectedAnswer();
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

/** The method, or `other`: clients must not be able to create new labels. */
function methodName(method: string): string {
  return METHODS.includes(method) ? method : 'other';
}

/** The id of the study in a path, which may also name it by its whole digest, as links do. */
function idOf(part: string | undefined): string | undefined {
  return part === undefined ? undefined : (studyOfPart(part)?.study ?? part);
}
