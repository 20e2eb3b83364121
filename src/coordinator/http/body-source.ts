/**
 * The body of a request without a stream of the web: for a platform where such a stream costs more than a small body itself.
 * Bytes are taken from the connection only as they are asked for.
 */
export interface BodySource {
  /** The next bytes; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Nothing more is asked for. */
  cancel(): void;
  /** The content of a small gzip file; throws if it is not whole, or is longer than `most` bytes. */
  unzip(file: Uint8Array, most: number): Uint8Array;
}

const sources = new WeakMap<Request, BodySource>();
const texts = new WeakMap<Response, string>();

/** Gives a request its body. */
export function giveBody(request: Request, source: BodySource): void {
  sources.set(request, source);
}

/** The body that a request was given; undefined if it has only its own stream. */
export function givenBody(request: Request): BodySource | undefined {
  return sources.get(request);
}

/** Keeps the text of a response, so that nobody must read it from the response's stream. */
export function keepText(response: Response, text: string): Response {
  texts.set(response, text);
  return response;
}

export function keptText(response: Response): string | undefined {
  return texts.get(response);
}

/** A source as a stream of the web. */
export function streamOf(source: BodySource): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await source.next();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** A stream of the web as a source that cannot unzip. */
export function streamSource(body: ReadableStream<Uint8Array>): Omit<BodySource, 'unzip'> {
  const reader = body.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    },
    cancel() {
      reader.cancel().catch(() => {});
    },
  };
}
