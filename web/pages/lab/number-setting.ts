/** A setting that is a number, with its limits. */
export interface NumberSetting {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
  /** Whole numbers unless it is given. */
  readonly step?: number;
  /** Has a slider beside it. */
  readonly slides?: true;
}

/** The number in a text, or the problem with it. */
export function readSetting(
  text: string,
  { least, most, step }: NumberSetting,
): { readonly value: number } | { readonly problem: string } {
  const value = Number(text);
  const fits = text.trim() !== '' && value >= least && value <= most;
  if (fits && (step !== undefined || Number.isInteger(value))) return { value };
  const kind = step === undefined ? 'A whole number' : 'A number';
  return { problem: `${kind} from ${least} to ${most}.` };
}
