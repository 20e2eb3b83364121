import { DataError } from '../data-error.ts';
import type { SqlDialect } from './dialect.ts';

/** A table as a person names it, quoted: `patients`, `clinic.patients`, or a select, which stays as it is. */
export function quotedTable(text: string, dialect: Pick<SqlDialect, 'quote'>): string {
  const bare = text.trim();
  if (/^(?:select|with)\s/i.test(bare)) {
    if (!/;/.test(bare.replace(/;\s*$/, ''))) return bare;
    throw new DataError('a select in place of a table must be one query', {}, 'leave out the ";"');
  }
  const parts = bare.split('.');
  if (parts.some((part) => part === '')) {
    throw new DataError('the table has no name', {}, 'write table, schema.table or select …');
  }
  return parts.map((part) => dialect.quote(part.replace(/^["`](.*)["`]$/, '$1'))).join('.');
}
