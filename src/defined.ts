/** The object without its undefined members: an absent member differs from an undefined one, in types and in JSON. */
export function defined<const Members extends object>(members: Members): Defined<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Members>;
}

/** Members that may be undefined may be absent; the others stay as they are. */
export type Defined<Members> = {
  readonly [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<
    Members[Key],
    undefined
  >;
} & {
  readonly [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
};
