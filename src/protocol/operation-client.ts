import { defined } from '../defined.ts';
import { boundedJson } from '../text/bounded-json.ts';
import { contentDigest } from './content-digest.ts';
import type { MessageName, Messages } from './messages.ts';
import { NetworkFailure } from './network-failure.ts';
import type { Input, Operation, Operations, Output } from './operation.ts';
import type { ClientOptions, HttpExchange, Transport } from './transport.ts';

/** Operations as functions of the path segments in order, then the body; without the streams. */
export type OperationClient<Table extends Operations> = {
  readonly [Name in keyof Table as Table[Name] extends Streaming ? never : Name]: (
    ...input: Input<Table[Name]>
  ) => Output<Table[Name]>;
};

interface Streaming {
  readonly answers: { readonly 200: { readonly type: 'text/event-stream' } };
}

/** Checks an answer; throws if it cannot be trusted. */
export type Verify = <Name extends MessageName>(
  name: Name,
  message: Messages[Name],
) => Messages[Name] | Promise<Messages[Name]>;

export interface OperationClientOptions extends Pick<ClientOptions, 'uploads'> {
  readonly verify?: Verify;
  /** Files that are sent as they are, whatever `uploads` says. */
  readonly neverCompressed?: (file: Uint8Array) => boolean;
}

/** A client for a table of operations: each row says how to make the request. */
export function operationClient<Table extends Operations>(
  table: Table,
  transport: Transport,
  options: OperationClientOptions = {},
): OperationClient<Table> {
  const functions = Object.entries(table)
    .filter(([, { answers }]) => answers[200]?.type !== 'text/event-stream')
    .map(([name, row]) => [
      name,
      (...input: readonly unknown[]) => call(row, input, transport, options),
    ]);
  return Object.fromEntries(functions);
}

async function call(
  row: Operation,
  input: readonly unknown[],
  transport: Transport,
  options: OperationClientOptions,
): Promise<unknown> {
  const { verify } = options;
  const segments = input.slice(0, row.path.match(/:\w+/g)?.length ?? 0);
  const bytes = await transport.send({
    method: row.method,
    path: operationPath(row.path, segments),
    repeat: row.repeat ?? 'always',
    ...defined({ patience: row.patience }),
    ...(await content(row.request, input[segments.length], options)),
  });
  const [{ message, type }] = Object.values(row.answers);
  if (message !== undefined) {
    const answer = parsed(bytes, message);
    return verify === undefined ? answer : verify(message, answer);
  }
  if (type === undefined) return undefined;
  return type === 'application/octet-stream' ? bytes : new TextDecoder().decode(bytes);
}

/** A path with its segments filled in. */
export function operationPath(path: string, segments: readonly unknown[]): string {
  const rest = [...segments];
  return path.replaceAll(/:\w+/g, () => encodeURIComponent(String(rest.shift())));
}

/** Headers and body of a request. */
async function content(
  request: Operation['request'],
  body: unknown,
  { uploads, neverCompressed = () => false }: OperationClientOptions,
): Promise<Pick<HttpExchange, 'headers' | 'body'>> {
  if (request === undefined) return {};
  if ('message' in request) {
    return {
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(body ?? {})),
    };
  }
  const file = body as Uint8Array;
  const headers = { 'content-type': request.type };
  if (request.digest === 'required') {
    return { headers: { ...headers, 'content-digest': contentDigest(file) }, body: file };
  }
  const asItIs = uploads === 'as-they-are' || neverCompressed(file);
  const zipped = asItIs ? undefined : await gzipped(file);
  if (zipped === undefined) return { headers, body: file };
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped };
}

/** The one message without a `schema` key. */
const UNTAGGED: MessageName = 'InvitationSecret';

/** The message in the bytes; throws unless its `schema` is that of the expected message. */
function parsed<Name extends MessageName>(bytes: Uint8Array, name: Name): Messages[Name] {
  let json: unknown;
  try {
    json = boundedJson(new TextDecoder().decode(bytes));
  } catch {
    throw notACoordinator();
  }
  if (typeof json !== 'object' || json === null) throw notACoordinator();
  if (name !== UNTAGGED && (json as { schema?: unknown }).schema !== schemaOf(name)) {
    throw notACoordinator();
  }
  return json as Messages[Name];
}

/** `suffice/study-view@1` for `StudyView`. */
function schemaOf(name: MessageName): string {
  return `suffice/${name.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()}@1`;
}

function notACoordinator(): NetworkFailure {
  return new NetworkFailure(
    'the answer does not come from a coordinator of this version',
    'check the address, and that both sides run the same version of suffice',
  );
}

/**
 * Smaller files are not compressed: a new connection carries ten packets before it waits for an answer (RFC 6928), so less
 * would not be faster, and both ends would spend more time on the gzip than on all other bytes.
 */
export const WORTH_COMPRESSING = 14_000;

/** The file in gzip; undefined if that is not shorter. */
async function gzipped(file: Uint8Array): Promise<Uint8Array | undefined> {
  if (file.length < WORTH_COMPRESSING) return undefined;
  const stream = new Blob([file as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new CompressionStream('gzip'));
  const body = new Uint8Array(await new Response(stream).arrayBuffer());
  return body.length < file.length ? body : undefined;
}
