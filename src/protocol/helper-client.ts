import type { z } from 'zod';
import type { HelperDescription, Statements, SumAnswer, SumRequest } from './helper-messages.ts';
import { NetworkFailure } from './network-failure.ts';
import type { LinkAnswer, LinkRequest } from './party-messages.ts';
import type { Sealed } from './signature.ts';
import { type ClientOptions, createTransport, type HttpExchange } from './transport.ts';

/** Requests to a helper. */
export interface HelperClient {
  description(): Promise<HelperDescription>;
  sum(request: SumRequest): Promise<SumAnswer>;
  statements(study: string): Promise<Statements>;
  /** The rows of parties that hold different columns, linked. */
  links(request: LinkRequest): Promise<Sealed<LinkAnswer>>;
}

/** A client of the helper at an address. Nobody needs a secret to ask: only signed contributions open anything. */
export function helperClient(url: string, options: ClientOptions = {}): HelperClient {
  const transport = createTransport(url.replace(/\/+$/, ''), 'none', {
    ...options,
    server: 'helper',
  });
  const ask = async <T>(
    exchange: Omit<HttpExchange, 'repeat'>,
    schema: () => Promise<z.ZodType<T>>,
  ): Promise<T> => {
    const bytes = await transport.send({ ...exchange, repeat: 'always' });
    const { data, error } = (await schema()).safeParse(json(bytes));
    if (error === undefined) return data;
    throw new NetworkFailure(
      'the answer is not one of a helper',
      'check that the address is that of a helper, and its version',
    );
  };
  return {
    description: () =>
      ask({ method: 'GET', path: '/helper' }, async () => {
        const { helperDescriptionSchema } = await import('./helper-schemas.ts');
        return helperDescriptionSchema;
      }),
    sum: (request) =>
      ask(
        {
          method: 'POST',
          path: '/sums',
          headers: { 'content-type': 'application/json' },
          body: new TextEncoder().encode(JSON.stringify(request)),
        },
        async () => (await import('./helper-schemas.ts')).sumAnswerSchema,
      ),
    links: (request) =>
      ask(
        {
          method: 'POST',
          path: '/links',
          headers: { 'content-type': 'application/json' },
          body: new TextEncoder().encode(JSON.stringify(request)),
        },
        async () => (await import('./helper-schemas.ts')).linkAnswerSchema,
      ),
    statements: (study) =>
      ask(
        { method: 'GET', path: `/statements/${study}` },
        async () => (await import('./helper-schemas.ts')).statementsSchema,
      ),
  };
}

function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
