/** A response before it is sent: a server writes it as it is, without the objects of the web, which cost more than a small one. */
export interface HttpAnswer {
  readonly status: number;
  /** By the usual spelling of their names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

export function answerOf(
  body: HttpAnswer['body'],
  headers: HttpAnswer['headers'] = {},
  status: number = 200,
): HttpAnswer {
  return { status, headers, body };
}

/** An answer as a response of the web. */
export function responseOf({ status, headers, body }: HttpAnswer): Response {
  return new Response(body as string | Uint8Array<ArrayBuffer> | null, { status, headers });
}
