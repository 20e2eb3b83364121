import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../../ui/field.tsx';
import { type NumberSetting, readSetting } from './number-setting.ts';

/** A number field, with a slider for some settings. Only a valid number is passed on. */
export function NumberInput({
  setting,
  value,
  onChange,
}: {
  readonly setting: NumberSetting;
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  const { label, least, most, step = 1, slides = false } = setting;
  const [text, setText] = useState(String(value));
  useEffect(() => {
    if (Number(text) !== value) setText(String(value));
  }, [value]);
  const read = readSetting(text, setting);
  return (
    <div class="lab-number">
      <TextField
        label={label}
        inputMode={step === 1 ? 'numeric' : 'decimal'}
        value={text}
        problem={'problem' in read ? read.problem : undefined}
        hint={`${least} to ${most}`}
        onInput={(typed) => {
          setText(typed);
          const found = readSetting(typed, setting);
          if ('value' in found) onChange(found.value);
        }}
      />
      {slides && (
        <input
          type="range"
          aria-label={`${label}, slider`}
          min={least}
          max={most}
          step={step}
          value={value}
          onInput={(event) => {
            setText(event.currentTarget.value);
            onChange(Number(event.currentTarget.value));
          }}
        />
      )}
    </div>
  );
}
