import type { Wording } from '../rows/wording.ts';
import { visibleText } from '../text/visible-text.ts';

/** How a file was read otherwise than the study says, line by line, for the person who approves it. */
export function wordingText({ columns, texts, missing = [] }: Wording): string[] {
  const named = [...(columns ?? [])].map(
    ([study, file]) => `column ${said(file)} as the study's ${said(study)}`,
  );
  const spelled = [...(texts ?? [])].flatMap(([column, words]) =>
    [...words].map(([text, level]) =>
      level === null
        ? `${said(text)} in ${said(column)} as missing`
        : `${said(text)} in ${said(column)} as the study's ${said(level)}`,
    ),
  );
  const markers = missing.length === 0 ? [] : [`${missing.map(said).join(', ')} as missing`];
  return [...named, ...spelled, ...markers];
}

function said(text: string): string {
  return `"${visibleText(text)}"`;
}
