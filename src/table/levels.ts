import { parseDecimal } from '../numeric/decimal.ts';
import { byCodeUnit } from '../text/by-code-unit.ts';
import { trimBlanks } from './cell-text.ts';

const LOGICAL = /^(?:true|false)$/i;

/** Finds the level that a text names: as it is written, else without blanks around it, as a logical word or as a number; −1 if none. */
export function levelFinder(levels: readonly string[]): (text: string) => number {
  const trimmed = levels.map(trimBlanks);
  const numbers = levels.every(isCanonicalNumber) ? levels.map(Number) : [];
  const allLogical = levels.every((level) => LOGICAL.test(level));
  const logical = (word: string): number => {
    const lower = trimmed.map((level) => level.toLowerCase());
    const at = lower.indexOf(word);
    return at === lower.lastIndexOf(word) ? at : -1;
  };
  return (text) => {
    const exact = levels.indexOf(text);
    if (exact >= 0) return exact;
    const bare = trimBlanks(text);
    const same = trimmed.indexOf(bare);
    if (same >= 0) return same;
    if (LOGICAL.test(bare)) return logical(bare.toLowerCase());
    const value = parseDecimal(bare);
    if (value === undefined) return -1;
    if (allLogical && (value === 0 || value === 1)) return logical(value === 1 ? 'true' : 'false');
    return numbers.indexOf(value);
  };
}

/** 1 for "true", 0 for "false" in any case; undefined for any other text. */
export function logicalValue(text: string): number | undefined {
  if (!LOGICAL.test(text)) return undefined;
  return text.length === 'true'.length ? 1 : 0;
}

/**
 * Levels in canonical form and numeric order if every text is a number that float64 holds exactly, else sorted texts.
 * Spellings of a logical value are one level, in capitals if there are several.
 */
export function levelsOf(texts: readonly string[]): string[] {
  const distinct = oneLogical([...new Set(texts.map(trimBlanks))]);
  const values = distinct.map((text) => {
    const value = /^[+-]?0\d/.test(text) ? undefined : parseDecimal(text);
    return value !== undefined && isExactLevel(value) ? value : undefined;
  });
  if (values.every((value) => value !== undefined)) {
    return [...new Set(values)].sort((a, b) => a - b).map(String);
  }
  return [...distinct].sort(byCodeUnit);
}

function oneLogical(texts: readonly string[]): readonly string[] {
  const words = texts.filter((text) => LOGICAL.test(text));
  if (words.length === 0) return texts;
  const others = texts.filter((text) => !LOGICAL.test(text));
  const isBits = others.length > 0 && others.every((text) => text === '0' || text === '1');
  const several = words.length > new Set(words.map((word) => word.toLowerCase())).size;
  if (!isBits && !several) return texts;
  const meant = [...words, ...(isBits ? others : [])].map((text) =>
    text === '1' || logicalValue(text) === 1 ? 'TRUE' : 'FALSE',
  );
  return [...new Set(meant), ...(isBits ? [] : others)];
}

/** Whether a text is the canonical form of a number that float64 can represent uniquely. */
export function isCanonicalNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && isExactLevel(value);
}

/** Whether a number can name a level: finite, and at most 2⁵³ if it is an integer. */
export function isExactLevel(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
