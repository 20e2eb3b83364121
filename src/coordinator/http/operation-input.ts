import { messageSchemas } from '../../protocol/answer-schemas.ts';
import { maskStageNames } from '../../protocol/mask-messages.ts';
import { siteNameSchema } from '../../protocol/message-schemas.ts';
import type { Operation } from '../../protocol/operation.ts';
import { partySteps } from '../../protocol/party-messages.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { HttpRequest } from './http-request.ts';
import { readJsonBody } from './request-body.ts';

const JSON_LIMIT = 64 * 1024;

/** The arguments of an operation from a request: the path segments in order, then the body. */
export async function operationInput(
  { path, request: expected }: Operation,
  request: HttpRequest,
  segment: (name: string) => string,
  patienceMs: number,
): Promise<readonly unknown[]> {
  const segments = pathSegments(path, segment);
  if (expected === undefined || !('message' in expected)) return segments;
  const { message, limit = JSON_LIMIT } = expected;
  const body = await readJsonBody(request, messageSchemas[message], { limit, patienceMs });
  return message === 'Nothing' ? segments : [...segments, body];
}

/** The segments of a path in their order, as values. */
export function pathSegments(path: string, segment: (name: string) => string): readonly unknown[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => {
    const text = segment(name);
    return name in readSegment ? readSegment[name](text) : text;
  });
}

const stages: ReadonlySet<string> = new Set(maskStageNames);

const steps: ReadonlySet<string> = new Set(partySteps);

const readSegment: Readonly<Record<string, (text: string) => unknown>> = {
  site(text) {
    if (!siteNameSchema.safeParse(text).success) throw noSuch('site');
    return text;
  },
  stage(text) {
    if (!stages.has(text)) throw noSuch('stage');
    return text;
  },
  step(text) {
    if (!steps.has(text)) throw noSuch('step');
    return text;
  },
  file(text) {
    if (!/^[0-9a-f]{64}$/.test(text)) throw noSuch('file');
    return `sha256:${text}`;
  },
  block(text) {
    if (!/^(0|[1-9]\d{0,6})$/.test(text)) throw noSuch('block');
    return Number(text);
  },
  number(text) {
    if (text === 'latest') return text;
    if (!/^[1-9]\d{0,8}$/.test(text)) throw noSuch('resolution');
    return Number(text);
  },
};

function noSuch(what: string): Refusal {
  return new Refusal('not-found', `there is no such ${what}`, 'check the address');
}
