/**
 * The cheapest pairs of rows and columns of a row-major cost matrix, by shortest augmenting paths (Jonker & Volgenant 1987): the
 * column of every row, each column at most once. Where there are more rows than columns, −1 for the rows left over. O(n²m).
 */
export function assignment(costs: Float64Array, rows: number, columns: number): Int32Array {
  if (rows <= columns) return assignRows(costs, rows, columns);
  const turned = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) turned[j * rows + i] = costs[i * columns + j];
  }
  const columnOf = new Int32Array(rows).fill(-1);
  assignRows(turned, columns, rows).forEach((row, column) => {
    columnOf[row] = column;
  });
  return columnOf;
}

function assignRows(costs: Float64Array, rows: number, columns: number): Int32Array {
  const columnOf = new Int32Array(rows).fill(-1);
  const rowOf = new Int32Array(columns).fill(-1);
  const rowPrice = new Float64Array(rows);
  const columnPrice = new Float64Array(columns);
  const distance = new Float64Array(columns);
  const before = new Int32Array(columns);
  const isDone = new Uint8Array(columns);
  for (let first = 0; first < rows; first++) {
    distance.fill(Number.POSITIVE_INFINITY);
    isDone.fill(0);
    const reached: number[] = [];
    let row = first;
    let length = 0;
    let column = -1;
    // Dijkstra over reduced costs, from the new row to the nearest free column.
    for (;;) {
      let nearest = Number.POSITIVE_INFINITY;
      for (let j = 0; j < columns; j++) {
        if (isDone[j] === 1) continue;
        const through = length + costs[row * columns + j] - rowPrice[row] - columnPrice[j];
        if (through < distance[j]) {
          distance[j] = through;
          before[j] = row;
        }
        if (distance[j] < nearest) {
          nearest = distance[j];
          column = j;
        }
      }
      if (nearest === Number.POSITIVE_INFINITY)
        throw new RangeError('costs must be finite numbers');
      length = nearest;
      isDone[column] = 1;
      if (rowOf[column] < 0) break;
      reached.push(column);
      row = rowOf[column];
    }
    rowPrice[first] += length;
    for (const j of reached) {
      rowPrice[rowOf[j]] += length - distance[j];
      columnPrice[j] -= length - distance[j];
    }
    for (;;) {
      const from = before[column];
      rowOf[column] = from;
      [columnOf[from], column] = [column, columnOf[from]];
      if (from === first) break;
    }
  }
  return columnOf;
}
