import type * as z from 'zod';

/** Stands for a key that may be left out. */
interface Absent {
  readonly absent: true;
}

/**
 * The JSON of a type. `readonly`, `undefined` and the form of an intersection make no difference;
 * optional keys and index signatures do.
 */
type JsonShape<T> = T extends object
  ? string extends keyof T
    ? { readonly anyKey: JsonKeys<T> }
    : JsonKeys<T>
  : T;

type JsonKeys<T> = {
  readonly [Key in keyof T]-?: T extends readonly unknown[]
    ? JsonShape<T[Key]>
    : object extends Pick<T, Key>
      ? JsonShape<Exclude<T[Key], undefined>> | Absent
      : JsonShape<T[Key]>;
};

/** Whether two types have the same JSON. */
export type SameJson<A, B> = [JsonShape<A>] extends [JsonShape<B>]
  ? [JsonShape<B>] extends [JsonShape<A>]
    ? true
    : false
  : false;

type DifferingKeys<A, B> = {
  [Key in keyof A | keyof B]: Key extends keyof A & keyof B
    ? SameJson<A[Key], B[Key]> extends true
      ? never
      : Key
    : Key;
}[keyof A | keyof B];

/**
 * Compiles only if the two types have the same JSON, else names the keys that differ; does nothing at
 * run time. Keeps schemas and types equal: `assertSameJson<z.infer<typeof schema>, Type>('same')`.
 */
export function assertSameJson<A, B>(
  _: SameJson<A, B> extends true ? 'same' : DifferingKeys<A, B>,
): void {}

/**
 * A schema with the type that it describes. Compiles only if both have the same JSON. The cast is needed because they write
 * optional keys differently.
 */
export function typedAs<Type>(): <Schema extends z.ZodType>(
  schema: Schema,
  same: SameJson<z.infer<Schema>, Type> extends true ? 'same' : 'different',
) => z.ZodType<Type> {
  return (schema) => schema as z.ZodType as z.ZodType<Type>;
}
