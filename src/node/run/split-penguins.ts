/** The column by which rows are linked: the number on the band of a bird. */
export const KEY = 'band';

/** Columns of the penguins by party. */
export const partColumns = {
  field: ['bill_length', 'flipper_length', 'body_mass'],
  laboratory: ['sex', 'species'],
} as const;

/** A table as its cells. */
export interface Birds {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A party's columns of the penguins. Every tenth bird is unknown to the one party, another tenth to the other; their files have another order, and write bands otherwise. */
export function birdsAt(party: keyof typeof partColumns, lines: readonly string[]): Birds {
  const names = lines[0].split(',');
  const isField = party === 'field';
  const columns: readonly string[] = partColumns[party];
  const rows = lines.slice(1).flatMap((line, k) => {
    if (k % 10 === (isField ? 3 : 7)) return [];
    const cells = line.split(',');
    const number = String(k + 1).padStart(4, '0');
    const band = isField ? `PAL ${number}` : `pal${number}`;
    return [[band, ...columns.map((name) => cells[names.indexOf(name)])]];
  });
  return { header: [KEY, ...columns], rows: isField ? rows : rows.toReversed() };
}

/** The rows that two parties have of the same birds, side by side. */
export function joinedBirds(one: Birds, other: Birds): Birds {
  const band = (text: string) => text.replaceAll(' ', '').toLowerCase();
  const others = new Map(other.rows.map(([key, ...cells]) => [band(key), cells]));
  const rows = one.rows.flatMap((cells) => {
    const found = others.get(band(cells[0]));
    return found === undefined ? [] : [[...cells, ...found]];
  });
  return { header: [...one.header, ...other.header.slice(1)], rows };
}
