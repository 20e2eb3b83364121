import type { Problem } from '../../protocol/messages.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { Refusal } from '../../protocol/refusal.ts';

/** JSON with a status. */
export function jsonResponse(
  body: unknown,
  status: number = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** What an operation gave, as its row says. */
export function operationResponse({ answers }: Operation, content: unknown): Response {
  const [[status, { message, type }]] = Object.entries(answers);
  if (message !== undefined) return jsonResponse(content, Number(status));
  if (type === undefined) return new Response(null, { status: Number(status) });
  return new Response(content as Uint8Array<ArrayBuffer>, { headers: { 'Content-Type': type } });
}

/** A refusal as a `Problem`, with the headers HTTP asks for at its status. */
export function refusalResponse(
  { code, status, message, remedy }: Refusal,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body: Problem = { schema: 'suffice/problem@1', code, problem: message, remedy };
  return jsonResponse(body, status, {
    ...(code === 'no-token' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(code === 'store-unavailable' ? { 'Retry-After': '1' } : {}),
    ...headers,
  });
}

/** What is told when something went wrong that nobody foresaw: nothing about it. */
export function unexpectedResponse(): Response {
  const body: Problem = {
    schema: 'suffice/problem@1',
    code: 'unexpected',
    problem: 'the coordinator failed at this request',
    remedy: 'try again; if it stays, whoever runs the coordinator finds the failure in its log',
  };
  return jsonResponse(body, 500);
}
