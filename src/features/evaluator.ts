import { DataError } from '../data-error.ts';
import type { DoubleDouble } from '../numeric/double-double.ts';
import { deparse, type Expression, expressionColumns } from '../study/formula-expression.ts';
import type { Origin } from '../table/columns.ts';

/** The row that is evaluated. */
export interface RowCursor {
  readonly columns: readonly Float64Array[];
  readonly origin: Origin;
  row: number;
}

/** The value of an expression in the cursor's row, to about 32 digits. */
export type Evaluator = (cursor: RowCursor) => DoubleDouble;

/** The error for a row where a part of an expression is not what the whole needs. */
export function outside(
  whole: Expression,
  part: Expression,
  rule: string,
  cursor: RowCursor,
): DataError {
  const column = expressionColumns(part)[0] ?? deparse(part);
  return new DataError(
    `${deparse(whole)} needs ${deparse(part)} ${rule}`,
    { file: cursor.origin.file, row: cursor.origin.rowOf(cursor.row), column },
    'check the unit, or mark the cell as missing',
  );
}
