import { defined } from '../defined.ts';

/** One message of a text/event-stream. */
export interface StreamMessage {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/**
 * The messages of a text/event-stream (HTML §9.2.6). `alive` is called for every chunk, also for
 * heartbeats. The iteration ends with the stream, and throws if the connection is lost.
 */
export async function* streamMessages(
  body: ReadableStream<Uint8Array>,
  alive: () => void,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      buffer += decoder.decode(value, { stream: true });
      const blocks = buffer.split(/\r?\n\r?\n/);
      buffer = blocks.pop()!;
      for (const block of blocks) {
        const message = messageIn(block);
        if (message !== undefined) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function messageIn(block: string): StreamMessage | undefined {
  const fields: Record<string, string[]> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name !== undefined) fields[name] = [...(fields[name] ?? []), value ?? ''];
  }
  if (fields.data === undefined) return undefined;
  const last = (name: string) => fields[name]?.at(-1);
  const id = last('id');
  const event = last('event');
  return {
    data: fields.data.join('\n'),
    ...defined({ id, event }),
  };
}
