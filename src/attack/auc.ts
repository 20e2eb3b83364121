/** The probability that a member scores higher than another row, ties counting half: ½ for guessing, 1 for certainty. */
export function auc(members: ArrayLike<number>, others: ArrayLike<number>): number {
  const sorted = Float64Array.from(others).sort();
  let wins = 0;
  for (let k = 0; k < members.length; k++) {
    const x = members[k];
    const below = placeWhere(sorted, (value) => value >= x);
    const notAbove = placeWhere(sorted, (value) => value > x);
    wins += (below + notAbove) / 2;
  }
  return wins / (members.length * others.length);
}

/** The first index from which all of the ascending values satisfy the condition. */
function placeWhere(sorted: Float64Array, isSo: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(sorted[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
