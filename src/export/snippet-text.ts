import { estimateReportText } from '../model/estimate-text.ts';
import { clippedText, privacyText, rowsText } from '../model/privacy-text.ts';
import { studyDigest } from '../study/study.ts';
import { grouped } from '../text/number-text.ts';
import { type ExportedModel, methodTextOf } from './exported-model.ts';

/** The text; throws for any other value: a list of texts would pass for a list of characters. */
function textOnly(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new RangeError(`source code needs a text here, not a value of type ${typeof value}`);
}

/** The number; throws for any other value, which would become source code as it is. */
export function finiteOnly(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new RangeError(
    `source code needs a finite number here, not a value of type ${typeof value}`,
  );
}

/** A one-line comment in R or Python, for any text. */
export function comment(text: string): string {
  return `# ${textOnly(text).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`;
}

/** A string literal in ASCII that R and Python read in any locale. */
export function quoted(text: string): string {
  const plain = Array.from(textOnly(text), (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    const code = character.codePointAt(0)!;
    if (code >= 32 && code < 127) return character;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return `"${plain.join('')}"`;
}

/** Where a model comes from, as comment lines for both R and Python. */
export function snippetHeading(model: ExportedModel): string[] {
  const { study, report } = model;
  const { sites, siteEffects, digest } = report;
  const name = study.name === undefined ? [] : [study.name];
  return [
    ...name,
    report.formula,
    `${methodTextOf(model)}; ${rowsText(report)} rows from ${grouped(sites.length)} ${sites.length === 1 ? 'site' : 'sites'}`,
    ...(siteEffects === undefined || siteEffects.kind === 'fixed'
      ? []
      : ['Site effects are left out: it predicts for a mean site.']),
    ...clippedText(report),
    ...privacyText(report),
    ...estimateReportText(report),
    `study ${studyDigest(study)}`,
    `study and total ${digest}`,
    'Made by suffice export.',
  ].map(comment);
}
