import { alignDecimals, significant } from '../model/number-text.ts';

/** A column of a text table: its title, then numbers with their decimal points under each other. */
export function numberColumn(
  title: string,
  values: readonly (number | null | undefined)[],
  digits = 5,
): string[] {
  return [title, ...alignDecimals(values.map((v) => (v == null ? '' : significant(v, digits))))];
}

/** A column of texts that are numbers already. */
export function alignedColumn(title: string, texts: readonly string[]): string[] {
  return [title, ...alignDecimals(texts)];
}
