/** A value of a command-line option: a size, and further choices by name. */
export interface OptionChoices {
  readonly size: number;
  readonly seed: number;
  readonly choices: ReadonlyMap<string, string>;
}

const USUAL_SEED = 1;

/** Reads `500,kernel=laplace,seed=7`; undefined if it has another form, or a name that is not among `names`. */
export function readChoices(value: string, names: readonly string[]): OptionChoices | undefined {
  const [size, ...parts] = value.split(',');
  const pairs = parts.map((part) => part.split('='));
  const choices = new Map(pairs.map(([name, choice]) => [name, choice]));
  const known = ['seed', ...names];
  const seed = choices.get('seed') ?? String(USUAL_SEED);
  const isRead =
    /^\d{1,9}$/.test(size) &&
    /^\d{1,10}$/.test(seed) &&
    Number(seed) < 2 ** 32 &&
    choices.size === pairs.length &&
    pairs.every((pair) => pair.length === 2 && known.includes(pair[0]));
  return isRead ? { size: Number(size), seed: Number(seed), choices } : undefined;
}
