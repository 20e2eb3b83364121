import { clickhouseLimits } from '../../sql/clickhouse-dialect.ts';
import { codeIn, isTooLong, READONLY } from './clickhouse-refusals.ts';

/** Settings that go with a query, by their names; none for a user that may change none, and so only reads already. */
export type ClickhouseSettings = Readonly<Record<string, string | number>>;

/** Keeps the server from writing. */
export const READING: ClickhouseSettings = { readonly: 2 };

/**
 * For sums. From 21.9 on a server looks for values in a CASE that it can leave out. Where values are used again and again, as in
 * double-double arithmetic, that took 18 s in place of 1 s (26.7).
 */
export const SUMMING: ClickhouseSettings = {
  ...READING,
  short_circuit_function_evaluation: 'disable',
};

const UNKNOWN_SETTING = 115;

/** The settings to try after a server has refused some with a message; undefined where others would not help. */
export function otherSettings(
  refused: ClickhouseSettings,
  message: string,
  characters: number,
): ClickhouseSettings | undefined {
  if (Object.keys(refused).length === 0) return undefined;
  const code = codeIn(message);
  if (code === READONLY) return {};
  if (code === UNKNOWN_SETTING && 'short_circuit_function_evaluation' in refused) {
    const { short_circuit_function_evaluation: _, ...known } = refused;
    return known;
  }
  if (!isTooLong(message) || 'max_query_size' in refused) return undefined;
  return { ...refused, ...clickhouseLimits(characters) };
}
