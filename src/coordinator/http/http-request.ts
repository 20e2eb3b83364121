import type { BodySource } from './body-source.ts';

/** What is read of a request: every web `Request` has it, and a server can give it at a lower cost. */
export interface HttpRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The body without a stream of the web; `body` is null then. */
  readonly source?: BodySource;
}
