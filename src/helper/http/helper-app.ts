import type { App, Connection, RequestRecord } from '../../coordinator/http/app.ts';
import { type HttpAnswer, responseOf } from '../../coordinator/http/http-answer.ts';
import type { HttpRequest } from '../../coordinator/http/http-request.ts';
import {
  jsonAnswer,
  refusalAnswer,
  unexpectedAnswer,
} from '../../coordinator/http/problem-answer.ts';
import { createRateLimiter, type Rate } from '../../coordinator/http/rate-limit.ts';
import { readJsonBody } from '../../coordinator/http/request-body.ts';
import { checkPath } from '../../coordinator/http/request-path.ts';
import { secureAnswer } from '../../coordinator/http/security-headers.ts';
import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import type { SumRequest } from '../../protocol/helper-messages.ts';
import { linkRequestSchema, sumRequestSchema } from '../../protocol/helper-schemas.ts';
import type { LinkRequest } from '../../protocol/party-messages.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { Helper } from '../helper.ts';

export interface HelperAppOptions {
  /** Called for every request after it has ended. */
  readonly observe?: (exchange: RequestRecord) => void;
  readonly rate?: Rate;
  /** How long a client may pause while it sends a body. */
  readonly patienceMs?: number;
}

/** Requests of one address; a coordinator asks once for a study. */
const RATE: Rate = { perSecond: 5, burst: 100 };
/** A request names up to 100,000 contributions. */
const REQUEST_BYTES = 256 * 2 ** 20;
const PATIENCE_MS = 60_000;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The parts of the path in brackets are given as arguments. */
  readonly pattern: RegExp;
  answer(helper: Helper, request: HttpRequest, part: string, patienceMs: number): Promise<unknown>;
}

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/healthz',
    pattern: /^\/healthz$/,
    answer: async () => ({ schema: 'suffice/health@1', store: 'ready' }),
  },
  {
    method: 'GET',
    path: '/helper',
    pattern: /^\/helper$/,
    answer: async ({ description }) => description,
  },
  {
    method: 'POST',
    path: '/sums',
    pattern: /^\/sums$/,
    answer: async (helper, request, _, patienceMs) =>
      helper.sum(
        (await readJsonBody(request, sumRequestSchema, {
          limit: REQUEST_BYTES,
          patienceMs,
        })) as SumRequest,
      ),
  },
  {
    method: 'POST',
    path: '/links',
    pattern: /^\/links$/,
    answer: async (helper, request, _, patienceMs) =>
      helper.links(
        (await readJsonBody(request, linkRequestSchema, {
          limit: REQUEST_BYTES,
          patienceMs,
        })) as LinkRequest,
      ),
  },
  {
    method: 'GET',
    path: '/statements/:study',
    pattern: /^\/statements\/(sha256:[0-9a-f]{64})$/,
    answer: (helper, _, study) => helper.statements(study),
  },
];

/** Puts HTTP in front of a helper. */
export function createHelperApp(helper: Helper, options: HelperAppOptions = {}): App {
  const limiter = createRateLimiter(options.rate ?? RATE);
  const patienceMs = options.patienceMs ?? PATIENCE_MS;
  const answered: App['answer'] = async (
    request,
    connection = { address: 'local', secure: false },
  ) => {
    const started = performance.now();
    const trail: Trail = { route: 'none' };
    const response = await respond(helper, request, connection, limiter, trail, patienceMs);
    const exchange: RequestRecord = {
      method: request.method === 'POST' ? 'POST' : request.method === 'GET' ? 'GET' : 'other',
      route: trail.route,
      status: response.status,
      milliseconds: performance.now() - started,
      ...defined({ refused: trail.refused, failure: trail.failure }),
    };
    const finish = options.observe ?? (() => {});
    if (connection.traffic === undefined) finish(exchange);
    else connection.traffic.then((traffic) => finish({ ...exchange, traffic }));
    return secureAnswer(response, connection.secure);
  };
  return {
    answer: answered,
    fetch: async (request, connection) => responseOf(await answered(request, connection)),
  };
}

interface Trail {
  route: string;
  refused?: string;
  failure?: unknown;
}

async function respond(
  helper: Helper,
  request: HttpRequest,
  connection: Connection,
  limiter: ReturnType<typeof createRateLimiter>,
  trail: Trail,
  patienceMs: number,
): Promise<HttpAnswer> {
  try {
    const path = connection.path ?? new URL(request.url).pathname;
    checkPath(path);
    const seconds = limiter.take(connection.address);
    if (seconds > 0) throw new Refusal('too-many-requests', 'too many requests', 'ask again later');
    const route = routes.find(({ pattern }) => pattern.test(path));
    if (route === undefined) {
      throw new Refusal('not-found', 'there is nothing at this address', 'check the address');
    }
    trail.route = route.path;
    if (route.method !== request.method) {
      const { method } = route;
      trail.refused = 'method-not-allowed';
      return refusalAnswer(
        new Refusal('method-not-allowed', `this address takes ${method}`, `use ${method}`),
        { Allow: method },
      );
    }
    const [, part = ''] = route.pattern.exec(path) ?? [];
    return jsonAnswer(await route.answer(helper, request, part, patienceMs));
  } catch (failure) {
    if (failure instanceof Refusal) {
      trail.refused = failure.code;
      return refusalAnswer(failure);
    }
    if (failure instanceof DataError) {
      trail.refused = 'unprocessable';
      return refusalAnswer(new Refusal('unprocessable', failure.message, failure.remedy));
    }
    trail.failure = failure;
    return unexpectedAnswer();
  }
}
