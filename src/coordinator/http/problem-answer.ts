import type { Problem } from '../../protocol/messages.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { Refusal, RefusalCode } from '../../protocol/refusal.ts';
import { answerOf, type HttpAnswer } from './http-answer.ts';

/** JSON with a status. */
export function jsonAnswer(
  body: unknown,
  status: number = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return answerOf(JSON.stringify(body), { 'Content-Type': 'application/json', ...headers }, status);
}

/** The result of an operation, in the form that the table of operations describes. */
export function operationAnswer({ answers }: Operation, content: unknown): HttpAnswer {
  const [[status, { message, type }]] = Object.entries(answers);
  if (message !== undefined) return jsonAnswer(content, Number(status));
  if (type === undefined) return answerOf(null, {}, Number(status));
  return answerOf(content as Uint8Array, { 'Content-Type': type });
}

const requiredHeaders: Partial<Record<RefusalCode, Readonly<Record<string, string>>>> = {
  'no-token': { 'WWW-Authenticate': 'Bearer' },
  'store-unavailable': { 'Retry-After': '1' },
  'too-many-requests': { 'Retry-After': '5' },
};

/** A refusal as a `Problem`, with the headers that HTTP requires for its status. */
export function refusalAnswer(
  { code, status, message, remedy }: Refusal,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const body: Problem = { schema: 'suffice/problem@1', code, problem: message, remedy };
  return jsonAnswer(body, status, {
    ...requiredHeaders[code],
    ...headers,
  });
}

/** The response to an unexpected error; it says nothing about the error. */
export function unexpectedAnswer(): HttpAnswer {
  const body: Problem = {
    schema: 'suffice/problem@1',
    code: 'unexpected',
    problem: 'the coordinator failed at this request',
    remedy:
      'try again; if it fails again, the operator of the coordinator finds the error in its log',
  };
  return jsonAnswer(body, 500);
}
