/** One measurement: our value, the peer's, and the goal. */
export interface Line {
  readonly what: string;
  readonly ours: string;
  readonly peer?: string;
  readonly ratio?: string;
  readonly goal?: string;
  /** Whether the goal was reached; absent without a goal or without a peer to compare with. */
  readonly reached?: boolean;
}

const HEADINGS = ['', 'ours', 'peer', 'ratio', 'goal', ''];

function cells(line: Line): readonly string[] {
  const verdict = line.reached ? 'reached' : 'NOT reached';
  const { what, ours, peer = '', ratio = '', goal = '', reached } = line;
  return [what, ours, peer, ratio, goal, reached === undefined ? '' : verdict];
}

/** Aligned columns for a terminal. */
export function plainTable(lines: readonly Line[]): string {
  const rows = [HEADINGS, ...lines.map(cells)];
  const widths = HEADINGS.map((_, k) => Math.max(...rows.map((row) => row[k]!.length)));
  return rows
    .map((row) => row.map((cell, k) => cell.padEnd(widths[k]!)).join('  '))
    .map((line) => `  ${line.trimEnd()}\n`)
    .join('');
}

/** The same as a Markdown table. */
export function markdownTable(lines: readonly Line[]): string {
  const row = (values: readonly string[]) => `| ${values.join(' | ')} |\n`;
  return row(HEADINGS) + row(HEADINGS.map(() => '---')) + lines.map((l) => row(cells(l))).join('');
}

/** Seconds in the unit that reads best. */
export function secondsText(seconds: number): string {
  if (seconds < 1e-3) return `${(seconds * 1e6).toPrecision(3)} µs`;
  if (seconds < 1) return `${(seconds * 1e3).toPrecision(3)} ms`;
  return `${seconds.toPrecision(3)} s`;
}

export function timesText(factor: number): string {
  return `${factor.toFixed(2)}×`;
}

/** A goal relative to the peer, at least or at most; without a peer there is no verdict. */
export function held(
  factor: number | undefined,
  rule: '≥' | '≤',
  bound: number,
): Pick<Line, 'ratio' | 'goal' | 'reached'> {
  const goal = `${rule} ${bound}×`;
  if (factor === undefined) return { goal };
  return {
    ratio: timesText(factor),
    goal,
    reached: rule === '≥' ? factor >= bound : factor <= bound,
  };
}
