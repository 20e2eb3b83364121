import type { ReadingWishes } from '../../desk/join.ts';
import { SelectField } from '../../ui/field.tsx';

const encodings = [
  ['', 'as the file says, else UTF-8'],
  ['utf-8', 'UTF-8'],
  ['latin1', 'Western European (latin1, Windows-1252)'],
  ['windows-1250', 'Central European (Windows-1250)'],
  ['iso-8859-2', 'Central European (ISO 8859-2)'],
  ['windows-1251', 'Cyrillic (Windows-1251)'],
  ['utf-16le', 'UTF-16, low byte first'],
  ['utf-16be', 'UTF-16, high byte first'],
  ['gb18030', 'Chinese (GB 18030)'],
  ['shift_jis', 'Japanese (Shift JIS)'],
] as const;
const decimals = [
  ['', 'as the study says'],
  ['.', 'point: 3.14'],
  [',', 'comma: 3,14'],
] as const;
const rules = [
  ['drop', 'leave them out and count them'],
  ['refuse', 'refuse the file'],
] as const;
const profiles = [
  ['', 'those of the study'],
  ['datashield', 'DataSHIELD: sums over 3 rows or more'],
  ['default', 'default: over 5 rows or more'],
  ['agency', 'statistical agency: over 10 rows or more'],
] as const;

/** How a file is to be read, where it is not as the study says. */
export function ReadingFields({
  wishes,
  onWish,
}: {
  readonly wishes: ReadingWishes;
  readonly onWish: (wishes: ReadingWishes) => void;
}) {
  const { encoding, decimal, missing, profile } = wishes;
  const told = (choice: Partial<ReadingWishes>) => onWish({ ...wishes, ...choice });
  return (
    <div class="columns join-wishes">
      <SelectField
        label="Encoding of a text file"
        value={encoding ?? ''}
        options={encodings}
        onChange={(value) =>
          value === '' ? onWish(without(wishes, 'encoding')) : told({ encoding: value })
        }
      />
      <SelectField
        label="Decimal mark"
        value={decimal ?? ''}
        options={decimals}
        onChange={(value) =>
          value === '' ? onWish(without(wishes, 'decimal')) : told({ decimal: value })
        }
      />
      <SelectField
        label="Rows with missing cells"
        value={missing}
        options={rules}
        onChange={(value) => told({ missing: value })}
      />
      <SelectField
        label="Disclosure rules of your own"
        hint="Of these and the study’s, the stricter hold."
        value={profile ?? ''}
        options={profiles}
        onChange={(value) =>
          value === '' ? onWish(without(wishes, 'profile')) : told({ profile: value })
        }
      />
    </div>
  );
}

function without(wishes: ReadingWishes, name: 'encoding' | 'decimal' | 'profile'): ReadingWishes {
  const { [name]: _, ...rest } = wishes;
  return rest;
}
