import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withFlags } from '../src/cli/option-text.ts';
import { parseDecimal } from '../src/numeric/decimal.ts';
import { sniff } from '../src/table/dialect.ts';
import { type Draft, MOST_TEXTS, mergeDrafts, overlayDraft } from '../src/table/draft.ts';
import { type CodebookOptions, draftCodebook, needsTexts } from '../src/table/draft-codebook.ts';
import { type DraftOptions, draftMissing, draftScan } from '../src/table/draft-scan.ts';
import { levelsOf } from '../src/table/levels.ts';
import { chunkSizes } from './csv-arbitrary.ts';
import { pump, readText, refusal, utf8 } from './csv-read.ts';
import { cases } from './endurance.ts';

function scan(
  text: string,
  options: DraftOptions = {},
  file = 't.csv',
  sizes: readonly number[] = [65536],
): Draft {
  const bytes = utf8(text);
  const { dialect, header } = sniff(bytes, []);
  const { stream, draft } = draftScan(dialect, header, header, file, options);
  pump(stream, bytes, sizes);
  return draft();
}

/** A codebook from a text as a caller makes it: a second scan where it is needed. */
function codebook(text: string, options: Partial<CodebookOptions> & DraftOptions = {}) {
  const factors = options.factors ?? new Set<string>();
  const first = scan(text, options);
  const again = new Set(needsTexts(first, factors));
  const second = scan(text, { ...options, texts: again });
  const columns = new Map([...second.columns].filter(([name]) => again.has(name)));
  return draftCodebook(overlayDraft(first, { ...second, columns }), { ...options, factors });
}

const missing = ['', 'NA'];

describe('draftCodebook', () => {
  it('numbers give their exact extremes, texts their sorted levels', () => {
    expect(codebook('x,s,f\n0.1,b,F\n-7e-3,a,F\nNA,b,F\n1e5,,F\n')).toEqual({
      x: { type: 'number', range: [-0.007, 1e5], missing },
      s: { type: 'category', levels: ['a', 'b'], missing },
      f: { type: 'category', levels: ['F'], missing },
    });
  });

  it('lists the markers that were met, those that are numbers included', () => {
    const text = 'x,y\n1,?\n-999,2\n.,3\n-999.0,n/k\n4, NA \n';
    expect(codebook(text, { missing: ['-999', 'n/k'] })).toEqual({
      x: { type: 'number', range: [1, 4], missing: [...missing, '-999', '.'] },
      y: { type: 'number', range: [2, 3], missing: [...missing, ' NA ', '?', 'n/k'] },
    });
  });

  it('factors of numbers are sorted as numbers in canonical spelling', () => {
    const factors = new Set(['x']);
    expect(codebook('x\n10\n9\n1.0\n1\nNA\n-2\n', { factors })).toEqual({
      x: { type: 'category', levels: ['-2', '1', '9', '10'], missing },
    });
  });

  it.each([
    ['leading zeros', 'x\n01\n1\n2\n', ['01', '1', '2']],
    [
      'ids beyond 2⁵³',
      'x\n9007199254740993\n9007199254740992\n',
      ['9007199254740992', '9007199254740993'],
    ],
    ['a text among numbers', 'x\n10\n9\nb\n', ['10', '9', 'b']],
  ])('factors with %s keep their texts', (_, text, levels) => {
    expect(codebook(text, { factors: new Set(['x']) })).toEqual({
      x: { type: 'category', levels, missing },
    });
  });

  it('a decimal comma is kept where it was declared', () => {
    expect(codebook('x;y\n1,5;1\n-2;1\n', { decimal: ',' })).toEqual({
      x: { type: 'number', range: [-2, 1.5], missing, decimal: ',' },
      y: { type: 'number', range: [1, 1], missing, decimal: ',' },
    });
  });

  it('mostly texts are a category, numbers among them included', () => {
    expect(codebook('x\na\n1\nb\n2\n')).toEqual({
      x: { type: 'category', levels: ['1', '2', 'a', 'b'], missing },
    });
  });

  it('mostly numbers with a text are refused where the text is first met', () => {
    const error = refusal(() => codebook('x,y\n1,1\n2,1\nsecret,1\n3,1\n'));
    expect(error.message).toBe(
      't.csv, row 3, column "x": text in a column of numbers: 1 of 4 cells',
    );
    expect(withFlags(error.remedy, error.option)).toContain('--missing-marker');
  });

  it('an undeclared decimal comma is suspected', () => {
    const error = refusal(() => codebook('x;y\n1;1\n2;1\n2,5;1\n'));
    expect(withFlags(error.remedy, error.option)).toContain('--decimal');
  });

  it('words for missing are levels of a column without numbers', () => {
    expect(codebook('x,y\nnone,1\n-,-\nnone,n/a\n')).toEqual({
      x: { type: 'category', levels: ['-', 'none'], missing },
      y: { type: 'number', range: [1, 1], missing: [...missing, '-', 'n/a'] },
    });
  });

  it('a column of missing cells is refused', () => {
    const error = refusal(() => codebook('x,y\n,1\nNA,2\n'));
    expect(error.message).toBe('t.csv, column "x": every cell is missing');
  });

  it('a factor has at most 10,000 distinct texts', () => {
    const factors = new Set(['x']);
    const text = (n: number) => `x,y\n${Array.from({ length: n }, (_, i) => `t${i},1\n`).join('')}`;
    expect(codebook(text(MOST_TEXTS), { factors }).x).toMatchObject({ type: 'category' });
    const error = refusal(() => codebook(text(MOST_TEXTS + 1), { factors }));
    expect(error.message).toBe('t.csv, row 1, column "x": more than 10000 distinct texts');
  });

  it('a number beyond 1e150 is refused while scanning', () => {
    expect(refusal(() => scan('x\n1\n1e300\n')).message).toMatch(/row 2, column "x".*1e\+150/);
  });
});

describe('extremes', () => {
  // A scan reads eight decimals of a number that is surely no new extreme, and no missing marker.
  const near = fc.oneof(
    fc.integer({ min: -40, max: 40 }).map((k) => 1.25 + k * 2 ** -52),
    fc.integer({ min: -40, max: 40 }).map((k) => -0.07 + k * 2 ** -57),
    fc.integer({ min: -40, max: 40 }).map((k) => 12345.678 + k * 2 ** -39),
    fc.constantFrom(0, -0, 1e-9, -1e-9, 99.5),
  );
  const spelled = fc.tuple(near, fc.constantFrom(8, 9, 12, 16, 20, 24)).map(([x, places]) => {
    const text = x.toFixed(places);
    return x >= 0 && places === 12 ? `+${text}` : text;
  });

  it('are exact, however close the numbers are, and leave out the markers', () => {
    fc.assert(
      fc.property(fc.array(spelled, { minLength: 1, maxLength: 60 }), (cells) => {
        const options = { missing: ['99.5', '1.25'] };
        const { columns } = scan(`x,y\n${cells.map((cell) => `${cell},1\n`).join('')}`, options);
        const { min, max, numbers, leadingZeros } = columns.get('x')!;
        const values = cells.map(Number).filter((value) => value !== 99.5 && value !== 1.25);
        expect([min + 0, max + 0]).toEqual([Math.min(...values) + 0, Math.max(...values) + 0]);
        expect([numbers, leadingZeros]).toEqual([values.length, 0]);
      }),
      { numRuns: cases(300, 1 / 10) },
    );
  });

  it('are exact at the last bit of eight decimals, and behind them', () => {
    const base = fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.constantFrom(1, -1));
    const steps = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 2, maxLength: 9 });
    const far = fc.constantFrom('1000', '-1000');
    fc.assert(
      fc.property(base, steps, far, fc.boolean(), ([k, sign], offsets, other, isUlp) => {
        const step = isUlp ? 2 ** (Math.floor(Math.log2(k / 1e8)) - 52) : 1e-9;
        const near = offsets.map((offset) => (sign * (k / 1e8 + offset * step)).toFixed(40));
        const cells = [other, ...near];
        const { columns } = scan(`x,y\n${cells.map((cell) => `${cell},1\n`).join('')}`);
        const [min, max] = [Math.min(...cells.map(Number)), Math.max(...cells.map(Number))];
        expect(columns.get('x')).toMatchObject({ min, max });
      }),
      { numRuns: cases(1500, 1 / 10) },
    );
  });

  it.each([
    ['01.12345678901', { numbers: 4, leadingZeros: 1 }],
    ['1.12345678901e0', { numbers: 4 }],
    ['1.12345678901x', { numbers: 3, texts: new Map([['1.12345678901x', 1]]) }],
    ['1.1234567x', { numbers: 3, texts: new Map([['1.1234567x', 1]]) }],
    ['1,12345678901', { numbers: 3, otherDecimals: 1 }],
    ['12345678.12345678', { numbers: 4, max: 12345678.12345678 }],
    ['99.500000000', { numbers: 3, missing: new Map([['99.5', 1]]) }],
  ])('between them %s is read as anywhere', (cell, found) => {
    const { columns } = scan(`x;y\n-1000;1\n1000;1\n0;1\n${cell};1\n`, { missing: ['99.5'] });
    expect(columns.get('x')).toMatchObject(found);
  });
});

describe('levelsOf', () => {
  it.each([
    [
      ['b', 'a', 'B'],
      ['B', 'a', 'b'],
    ],
    [
      ['2', '10', '1e1', '-0', '0'],
      ['0', '2', '10'],
    ],
    [
      ['1', 'x'],
      ['1', 'x'],
    ],
    [
      ['1e400', '1'],
      ['1', '1e400'],
    ],
  ])('%j → %j', (texts, levels) => {
    expect(levelsOf(texts)).toEqual(levels);
  });
});

const cellTexts = [
  '1',
  '-2.5',
  '007',
  '',
  'NA',
  ' NA',
  'a',
  'b',
  '"a"',
  '"q""q"',
  '1,5',
  '-9',
  '"-9"',
];
const tables = fc.array(fc.tuple(fc.constantFrom(...cellTexts), fc.constantFrom(...cellTexts)), {
  minLength: 1,
  maxLength: 25,
});
const asText = (rows: readonly (readonly string[])[]) =>
  `u;v\n${rows.map((row) => `${row.join(';')}\n`).join('')}`;
const options = { missing: ['-9'], texts: new Set(['v']) };

it('a draft counts what the cells hold', () => {
  const markers = new Set([...draftMissing, '-9']);
  const count = (texts: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts;
  };
  fc.assert(
    fc.property(tables, (rows) => {
      const cells = (j: 0 | 1) =>
        rows.map((row) => row[j].replace(/^"(.*)"$/, '$1').replaceAll('""', '"'));
      const { columns } = scan(asText(rows), options);
      const numbers = cells(0).filter((c) => !markers.has(c) && parseDecimal(c) !== undefined);
      const others = cells(0).filter((c) => markers.has(c) || parseDecimal(c) === undefined);
      expect(columns.get('u')).toMatchObject({
        numbers: numbers.length,
        min: Math.min(...numbers.map(Number)),
        max: Math.max(...numbers.map(Number)),
        leadingZeros: numbers.filter((c) => c === '007').length,
        otherDecimals: others.filter((c) => c === '1,5').length,
        doubts: new Map(others.includes('1,5') ? [['other mark', count(others).get('1,5')]] : []),
        missing: count(others.filter((c) => markers.has(c.trim()))),
        texts: count(others.filter((c) => !markers.has(c.trim()) && c !== '1,5')),
      });
      expect(columns.get('v')).toMatchObject({
        everyText: true,
        missing: count(
          cells(1)
            .map((c) => c.trim())
            .filter((c) => markers.has(c)),
        ),
        texts: count(cells(1).filter((c) => !markers.has(c.trim()))),
      });
    }),
  );
});

describe('drafts do not depend on how the rows are cut', () => {
  it('draft(pieces of any size) = draft(whole)', () => {
    fc.assert(
      fc.property(tables, chunkSizes, (rows, sizes) => {
        expect(scan(asText(rows), options, 't.csv', sizes)).toEqual(scan(asText(rows), options));
      }),
    );
  });

  it('draft(a) + draft(b) = draft(b) + draft(a), for ranges and for files', () => {
    fc.assert(
      fc.property(tables, tables, fc.nat(), (a, b, where) => {
        const whole = scan(asText([...a, ...b]), options);
        const text = asText([...a, ...b]);
        const cut = 1 + (where % text.length);
        const parts = [scanRange(text, 0, cut), scanRange(text, cut, Infinity)] as const;
        const merged = mergeDrafts(parts[0], parts[1]);
        expect(mergeDrafts(parts[1], parts[0])).toEqual(merged);
        for (const [name, column] of whole.columns) {
          const { firstTexts: _, ...rest } = column;
          expect(merged.columns.get(name)).toMatchObject(rest);
        }
        const files = [scan(asText(a), options, 'a'), scan(asText(b), options, 'b')] as const;
        expect(mergeDrafts(files[1], files[0])).toEqual(mergeDrafts(files[0], files[1]));
      }),
    );
  });

  it('(a + b) + c = a + (b + c)', () => {
    fc.assert(
      fc.property(tables, tables, tables, (a, b, c) => {
        const [x, y, z] = [a, b, c].map((rows, i) => scan(asText(rows), options, `${i}.csv`));
        expect(mergeDrafts(mergeDrafts(x!, y!), z!)).toEqual(mergeDrafts(x!, mergeDrafts(y!, z!)));
      }),
    );
  });

  it('a refusal names the row of the whole file', () => {
    const text = `u;v\n${'1;a\n'.repeat(50)}oops;b\n2;a\n`;
    const draft = mergeDrafts(scanRange(text, 100, Infinity), scanRange(text, 0, 100));
    const error = refusal(() => draftCodebook(draft, { factors: new Set() }));
    expect(error.message).toMatch(/^t.csv, row 51, column "u"/);
  });

  function scanRange(text: string, from: number, to: number): Draft {
    const bytes = utf8(text);
    const { dialect, header } = sniff(bytes, []);
    const at = Math.max(0, from - 1);
    const range = { startsMidFile: from > 0, stopAt: to - at, at };
    const { stream, draft } = draftScan(dialect, header, header, 't.csv', { ...options, ...range });
    pump(stream, bytes.subarray(at), [7]);
    return draft();
  }
});

it('a file reads under the codebook drafted from it', () => {
  fc.assert(
    fc.property(tables, fc.constantFrom([], ['u'], ['u', 'v']), (rows, names) => {
      const text = asText(rows);
      try {
        const book = codebook(text, { missing: ['-9'], factors: new Set(names) });
        expect(readText(text, book)[0]!.length).toBe(rows.length);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'DataError')) throw error;
        expect(error.message).toMatch(
          /text in a column of numbers|every cell is missing|another decimal mark/,
        );
      }
    }),
  );
});
