import { codesOutside } from '../site/explanation-text.ts';
import type { ExplainedText, FileExplanation } from '../site/file-explanation.ts';
import { lines } from '../site/study-text.ts';

/** Flags that read the file as it is, where a person agrees; undefined if nothing comes close. */
export function wordingRemedy({ columns }: FileExplanation): string | undefined {
  const flags = columns.flatMap(({ name, absent, texts, outside }) => [
    ...(absent?.slice(0, 1) ?? []).map((near) => `--column ${quoted(`${name}=${near}`)}`),
    ...texts.flatMap((one) => textFlag(name, one)),
    ...codesOutside(outside).map((code) => `--read-as ${quoted(`${name}:${code}=`)}`),
  ]);
  if (flags.length === 0) return undefined;
  return lines(
    'If this is what they mean, read the file so (the study stays as it is):',
    ...flags.map((flag) => `  ${flag}`),
  );
}

/** A text with hidden characters, or a cut one, cannot be typed as it is shown. */
function textFlag(name: string, { text, shown, near, likelyMissing }: ExplainedText): string[] {
  if (text !== shown) return [];
  if (near !== undefined) return [`--read-as ${quoted(`${name}:${text}=${near.level}`)}`];
  return likelyMissing === true ? [`--read-as ${quoted(`${name}:${text}=`)}`] : [];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
