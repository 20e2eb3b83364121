/** Moves heights as little as possible so that texts do not overlap; from top to bottom. */
export function spreadApart(heights: readonly number[], spacing: number, bottom: number): number[] {
  const placed: number[] = [];
  for (const height of heights) {
    placed.push(Math.max(height, (placed.at(-1) ?? Number.NEGATIVE_INFINITY) + spacing));
  }
  for (let i = placed.length - 1, floor = bottom; i >= 0; i--, floor = placed[i + 1]! - spacing) {
    placed[i] = Math.min(placed[i]!, floor);
  }
  return placed;
}
