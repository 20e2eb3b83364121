import { isTableStudy, type Study } from '../../src/study/study.ts';

/** A study as JSON for editing: one line for each column of the codebook. */
export function studyJson(study: Study): string {
  const members = Object.entries(study).map(([key, value]) => {
    if (key !== 'codebook' || !isTableStudy(study))
      return `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const columns = Object.entries(study.codebook).map(
      ([name, column]) => `    ${JSON.stringify(name)}: ${JSON.stringify(column)}`,
    );
    return `  "codebook": {\n${columns.join(',\n')}\n  }`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}
