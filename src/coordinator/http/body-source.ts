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
