import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { holdSame } from '../src/study/same-json.ts';

interface Wish {
  readonly name: string;
  readonly times?: number;
  readonly tags: readonly { readonly text: string }[];
  readonly kind: 'small' | 'large';
}

const shape = {
  name: z.string(),
  times: z.number().optional(),
  tags: z.array(z.object({ text: z.string() })),
};
const wish = z.object({ ...shape, kind: z.enum(['small', 'large']) });
const timeless = wish.omit({ times: true });
const byKind = z.discriminatedUnion('kind', [
  z.object({ ...shape, kind: z.literal('small') }),
  z.object({ ...shape, kind: z.literal('large') }),
]);

// The compiler holds this file: a line that expects an error and has none is an error itself.
describe('a schema and its type', () => {
  it('are the same, however readonly, union and intersection are written', () => {
    holdSame<z.infer<typeof wish>, Wish>('same');
    holdSame<z.infer<typeof byKind>, Wish>('same');
    holdSame<z.infer<typeof timeless> & { times?: number }, Wish>('same');
    holdSame<Record<string, string>, Readonly<Record<string, string>>>('same');
    expect(wish.safeParse({ name: 'a', tags: [], kind: 'small' }).success).toBe(true);
  });

  it('differ by a key, an optional key, a value, deep inside, or a key of any name', () => {
    // @ts-expect-error: the type has a key that the schema has not
    holdSame<z.infer<typeof timeless>, Wish>('same');
    // @ts-expect-error: the schema has a key that the type has not
    holdSame<z.infer<typeof wish>, Omit<Wish, 'times'>>('same');
    // @ts-expect-error: the key may be left out in the schema alone
    holdSame<z.infer<typeof wish>, Wish & { readonly times: number }>('same');
    // @ts-expect-error: the type knows one more value
    holdSame<z.infer<typeof wish>, Omit<Wish, 'kind'> & { kind: Wish['kind'] | 'huge' }>('same');
    // @ts-expect-error: the items differ
    holdSame<z.infer<typeof wish>, Omit<Wish, 'tags'> & { tags: { text?: string }[] }>('same');
    // @ts-expect-error: one has any key, the other none
    holdSame<{ a: Record<string, string> }, { a: object }>('same');
    expect(timeless.safeParse({ name: 'a', tags: [], kind: 'small' }).success).toBe(true);
  });
});
