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
 * Compiles only where the two types have the same JSON, and else names the keys that differ; does
 * nothing. Holds schemas to their types: `holdSame<z.infer<typeof schema>, Type>('same')`.
 */
export function holdSame<A, B>(
  _: SameJson<A, B> extends true ? 'same' : DifferingKeys<A, B>,
): void {}
