import { fitted, measured } from './room.ts';

interface Flag {
  /** Where its pole stands. */
  readonly at: number;
  /** Where its text starts. */
  readonly start: number;
  /** Lines above the lowest. */
  readonly level: number;
  readonly text: string;
}

const GAP = 5;

/** Words beside their poles, all on one side, each so high that no pole goes through another's words. */
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

/** Texts to the right of their poles: those more to the left stand higher where they reach over others. */
function raised(
  poles: readonly { readonly at: number; readonly text: string }[],
  width: number,
): Flag[] {
  const placed: Flag[] = [];
  for (const { at, text } of poles.toSorted((a, b) => b.at - a.at)) {
    const shown = fitted(text, width);
    const start = Math.max(0, Math.min(at + GAP, width - measured(shown)));
    const end = start + measured(shown);
    const barred = placed.filter((flag) => end + GAP > Math.min(flag.at, flag.start));
    const level = barred.reduce((most, flag) => Math.max(most, flag.level + 1), 0);
    placed.push({ at, start, level, text: shown });
  }
  return placed;
}
