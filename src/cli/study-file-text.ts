import { isTableStudy, type Study } from '../study/study.ts';

/** A study as JSON that a person edits: one line a column of the codebook. */
export function studyText(study: Study): string {
  const members = Object.entries(study).map(([key, value]) => {
    if (key !== 'codebook' || !isTableStudy(study))
      return `  ${JSON.stringify(key)}: ${spaced(value)}`;
    const columns = Object.entries(study.codebook).map(
      ([name, column]) => `    ${JSON.stringify(name)}: ${spaced(column)}`,
    );
    return `  "codebook": {\n${columns.join(',\n')}\n  }`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}

/** JSON on one line with a space after every mark. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`,
  );
  return `{ ${members.join(', ')} }`;
}
