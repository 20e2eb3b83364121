import { TextField } from './field.tsx';

/** A time in the reader's own zone; empty, or ISO 8601 in UTC. */
export function MomentField({
  label,
  hint,
  problem,
  value,
  onInput,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <TextField
      label={label}
      hint={hint}
      problem={problem}
      type="datetime-local"
      value={localText(value)}
      onInput={(text) => onInput(text === '' ? '' : new Date(text).toISOString())}
    />
  );
}

/** As an input of type datetime-local takes it. */
function localText(time: string): string {
  if (time === '') return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
