import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { assertSameJson } from '../src/study/same-json.ts';

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
    assertSameJson<z.infer<typeof wish>, Wish>('same');
    assertSameJson<z.infer<typeof byKind>, Wish>('same');
    assertSameJson<z.infer<typeof timeless> & { times?: number }, Wish>('same');
    assertSameJson<Record<string, string>, Readonly<Record<string, string>>>('same');
    expect(wish.safeParse({ name: 'a', tags: [], kind: 'small' }).success).toBe(true);
  });

  it('differ by a key, an optional key, a value, deep inside, or a key of any name', () => {
    // @ts-expect-error: the type has a key that the schema has not
    assertSameJson<z.infer<typeof timeless>, Wish>('same');
    // @ts-expect-error: the schema has a key that the type has not
    assertSameJson<z.infer<typeof wish>, Omit<Wish, 'times'>>('same');
    // @ts-expect-error: the key may be left out in the schema alone
    assertSameJson<z.infer<typeof wish>, Wish & { readonly times: number }>('same');
    type MoreKinds = Omit<Wish, 'kind'> & { kind: Wish['kind'] | 'huge' };
    // @ts-expect-error: the type knows one more value
    assertSameJson<z.infer<typeof wish>, MoreKinds>('same');
    type OtherTags = Omit<Wish, 'tags'> & { tags: { text?: string }[] };
    // @ts-expect-error: the items differ
    assertSameJson<z.infer<typeof wish>, OtherTags>('same');
    // @ts-expect-error: one has any key, the other none
    assertSameJson<{ a: Record<string, string> }, { a: object }>('same');
    expect(timeless.safeParse({ name: 'a', tags: [], kind: 'small' }).success).toBe(true);
  });
});
