import type { Codebook } from './codebook.ts';

/**
 * Whether a value is surely a codebook, by a short check without zod, which takes a tenth of a second to load. What fails
 * here goes to `parseCodebook`, which says what is wrong; `test/plain-codebook.test.ts` compares the two.
 */
export function isPlainCodebook(value: unknown): value is Codebook {
  return isObject(value) && Object.entries(value).every(([name, column]) => isColumn(name, column));
}

type Check = (value: unknown) => boolean;

const MOST_LEVELS = 10_000;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => Number.isFinite(value);
const isPositive: Check = (value) => isNumber(value) && (value as number) > 0;
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isLevels: Check = (value) =>
  isTexts(value) &&
  isSized(value as string[]) &&
  new Set(value as string[]).size === (value as string[]).length;
const isRange: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isNumber) && value[0] <= value[1];

function isSized({ length }: readonly string[]): boolean {
  return length >= 1 && length <= MOST_LEVELS;
}

/** The members that a column may have, by its type. */
const members: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  number: {
    unit: isText,
    range: isRange,
    center: isNumber,
    scale: isPositive,
    sd: isPositive,
    levels: isLevels,
    missing: isTexts,
    decimal: (value) => value === '.' || value === ',',
  },
  category: { levels: isLevels, baseline: isText, missing: isTexts },
  id: { missing: isTexts },
};

function isColumn(name: string, column: unknown): boolean {
  if (name === '__proto__' || !isObject(column)) return false;
  const { type, ...rest } = column;
  if (typeof type !== 'string' || !Object.hasOwn(members, type)) return false;
  const checks = members[type];
  const fits = Object.entries(rest).every(
    ([key, value]) => Object.hasOwn(checks, key) && checks[key](value),
  );
  if (!fits || type !== 'category') return fits;
  const { levels, baseline } = rest;
  return Array.isArray(levels) && (baseline === undefined || levels.includes(baseline));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
