/** Most objects and lists around a value. Nothing that suffice writes comes near it. */
const DEEPEST = 64;

/** The value of a JSON text from elsewhere; throws SyntaxError if it is not JSON, or nested so deep that readers would fail. */
export function boundedJson(text: string): unknown {
  let depth = 0;
  let quoted = false;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) {
      if (code === BACKSLASH) k++;
    } else if (code === BRACE || code === BRACKET) {
      depth++;
      if (depth > DEEPEST) throw new SyntaxError(`more than ${DEEPEST} levels of JSON`);
    } else if (code === BRACE + 2 || code === BRACKET + 2) depth--;
  }
  return JSON.parse(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
