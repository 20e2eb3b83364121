const WORDS: ReadonlySet<string> = new Set(
  'na n/a nan nil null none missing unknown #n/a #na #null! - -- --- – — . .. ? ??'.split(' '),
);

/** Whether a text among numbers says that there is none. Among categories such a text may be a level. */
export function isMissingWord(text: string): boolean {
  return WORDS.has(text.toLowerCase());
}
