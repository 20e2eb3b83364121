import { codesOutside } from '../site/explanation-text.ts';
import type { ExplainedText, FileExplanation } from '../site/file-explanation.ts';
import { lines } from '../site/wrapped.ts';

/** Flags that read the file as it is, where a person agrees; undefined if there are none. */
export function wordingRemedy({ columns }: FileExplanation): string | undefined {
  const flags = columns.flatMap(({ name, absent, texts, outside }) => [
    ...(absent?.slice(0, 1) ?? []).map((near) => `--column ${quoted(`${name}=${near}`)}`),
    ...texts.flatMap((one) => textFlag(name, one)),
    ...codesOutside(outside).map((code) => `--read-as ${quoted(`${name}:${code}=`)}`),
  ]);
  const unnamed = columns.filter(({ absent }) => absent?.length === 0);
  const parts = [
    ...heading('If this is what they mean, read the file so (the study stays as it is):', flags),
    ...heading(
      'If a column has another name in your file, put that name in place of NAME:',
      unnamed.map(({ name }) => `--column ${quoted(`${name}=NAME`)}`),
    ),
  ];
  return parts.length === 0 ? undefined : lines(...parts);
}

function heading(text: string, flags: readonly string[]): string[] {
  return flags.length === 0 ? [] : [text, ...flags.map((flag) => `  ${flag}`)];
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
