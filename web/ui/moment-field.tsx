import { TextField } from './field.tsx';

/** A time, shown in the reader's time zone. Its value is empty or ISO 8601 in UTC. */
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

/** The format of an input of type datetime-local. */
function localText(time: string): string {
  if (time === '') return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
