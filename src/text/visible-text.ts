/**
 * Characters that cannot be seen: controls, direction marks and overrides, zero-width and other format characters, line
 * separators, half characters, and those that Unicode says to leave out where they have no meaning, such as fillers and
 * variation selectors; and the Braille cell without dots. They move the cursor of a terminal, turn text around, or make two
 * names look the same.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * The zero-width joiner and non-joiner inside a word or an emoji, and variation selectors of a Han or Mongolian letter.
 * Persian and Indic scripts spell words with joiners, and families of emoji are joined by them. At any other place they
 * change nothing that a reader could see.
 */
const joiner =
  /(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])|(?<=\p{Extended_Pictographic}|\p{EMod}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Script=Han})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]/gu;

/** The selector of a coloured emoji, as keyboards write it. */
const coloured = /(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)/gu;

/** The text with every hidden character written out, such as <U+202E>. Safe on a terminal, on a page and in a message. */
export function visibleText(text: string): string {
  const joined = placesOf(text, joiner, coloured);
  return text.replaceAll(hidden, (character, place: number) =>
    joined.has(place) ? character : `<${codePoint(character)}>`,
  );
}

/** Line ends, tabs, and bold or faint of a terminal. */
const kept = new RegExp(`(\\n|\\t|${String.fromCharCode(27)}\\[(?:1|2|22)m)`, 'u');

/** The same for a text of several lines, with the marks of bold and faint that a terminal gets. */
export function visibleLines(text: string): string {
  return text
    .split(kept)
    .map((part, k) => (k % 2 === 1 ? part : visibleText(part)))
    .join('');
}

/** A JSON text of the same value, with every hidden character as an escape such as \\u202e, so that it is safe on a terminal. */
export function visibleJson(json: string): string {
  return json.replaceAll(hidden, (character) =>
    /\s/.test(character) && character < '\u0080'
      ? character
      : Array.from({ length: character.length }, (_, k) => {
          return `\\u${character.charCodeAt(k).toString(16).padStart(4, '0')}`;
        }).join(''),
  );
}

/**
 * The first hidden character of a text, such as U+202E. `within` says which are no fault: joiners inside words in what
 * people have written (`text`), none in what is typed and compared as a name (`name`), white space in a `formula`; coloured
 * emoji nowhere.
 */
export function hiddenCharacter(
  text: string,
  within: 'text' | 'name' | 'formula',
): string | undefined {
  const joined = within === 'text' ? placesOf(text, joiner, coloured) : placesOf(text, coloured);
  for (const { 0: character, index } of text.matchAll(hidden)) {
    if (joined.has(index) || (within === 'formula' && /[\t\n\r]/.test(character))) continue;
    return codePoint(character);
  }
  return undefined;
}

function placesOf(text: string, ...patterns: readonly RegExp[]): ReadonlySet<number> {
  return new Set(patterns.flatMap((one) => Array.from(text.matchAll(one), ({ index }) => index)));
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
