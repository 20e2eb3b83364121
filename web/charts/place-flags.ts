import { fitted, measured } from './space.ts';

interface Flag {
  /** Position of its pole. */
  readonly at: number;
  /** Start of its text. */
  readonly start: number;
  /** Lines above the lowest. */
  readonly level: number;
  readonly text: string;
}

const GAP = 5;

/** Places texts beside their poles, all on one side, so high that no pole crosses another text. */
export function placeFlags(
  poles: readonly { readonly at: number; readonly text: string }[],
  width: number,
): Flag[] {
  const right = raised(poles, width);
  const fits = (flags: readonly Flag[]) => flags.every(({ at, start }) => start >= at + GAP);
  if (fits(right)) return right;
  const left = raised(
    poles.map(({ at, text }) => ({ at: width - at, text })),
    width,
  );
  if (!fits(left)) return right;
  return left.map((flag) => ({
    ...flag,
    at: width - flag.at,
    start: width - flag.start - measured(flag.text),
  }));
}

/** Texts to the right of their poles. A text that would cross a pole farther right is raised. */
function raised(
  poles: readonly { readonly at: number; readonly text: string }[],
  width: number,
): Flag[] {
  const placed: Flag[] = [];
  for (const { at, text } of poles.toSorted((a, b) => b.at - a.at)) {
    const shown = fitted(text, width);
    const start = Math.max(0, Math.min(at + GAP, width - measured(shown)));
    const end = start + measured(shown);
    const crossed = placed.filter((flag) => end + GAP > Math.min(flag.at, flag.start));
    const level = crossed.reduce((most, flag) => Math.max(most, flag.level + 1), 0);
    placed.push({ at, start, level, text: shown });
  }
  return placed;
}
