/** Stands for a key that may be left out. */
interface Absent {
  readonly absent: true;
}

/**
 * The JSON of a type: `readonly`, `undefined` and the way an intersection is written make no
 * difference; a key that may be left out does, and so does a key of any name.
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
export type SameType<A, B> = [JsonShape<A>] extends [JsonShape<B>]
  ? [JsonShape<B>] extends [JsonShape<A>]
    ? true
    : false
  : false;

/**
 * Compiles only where the two types have the same JSON; does nothing. Holds a schema and the type
 * it stands for together: `holdSame<z.infer<typeof schema>, Type>()`.
 */
export function holdSame<A, B>(
  ..._differ: SameType<A, B> extends true ? [] : [{ readonly found: A; readonly expected: B }]
): void {}
