/**
 * Lines of bytes as they were before filtering (PNG specification, §9); undefined where a filter is unknown. Each line has a
 * byte for its filter before it; `step` is the number of bytes of a pixel, at least 1.
 */
export function unfilter(
  filtered: Uint8Array,
  line: number,
  height: number,
  step: number,
): Uint8Array | undefined {
  const out = new Uint8Array(line * height);
  for (let y = 0; y < height; y++) {
    const from = y * (line + 1);
    const kind = filtered[from];
    if (kind > 4) return undefined;
    const to = y * line;
    for (let k = 0; k < line; k++) {
      const left = k < step ? 0 : out[to + k - step];
      const up = y === 0 ? 0 : out[to + k - line];
      const corner = k < step || y === 0 ? 0 : out[to + k - line - step];
      out[to + k] = filtered[from + 1 + k] + predicted(kind, left, up, corner);
    }
  }
  return out;
}

function predicted(kind: number, left: number, up: number, corner: number): number {
  switch (kind) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
