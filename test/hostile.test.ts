import { appendFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';
import { runBuiltSuffice } from './site-process.ts';

const folder = temporaryFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function utf16(text: string, order: 'le' | 'be'): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

const good = 'y,x\n1,2\n2,3\n4,5\n7,11\n';

describe('a hostile file is refused by name, with a remedy, and nothing on stdout', () => {
  it.each<[string, string | Uint8Array, readonly string[], string]>([
    ['ragged', 'y,x\n1,2\n2,3,4\n', [], 'row 2: found 3 fields, the header has 2'],
    ['short', 'y,x\n1,2\n2\n', [], 'row 2: found 1 field'],
    ['duplicate header', 'y,x,x\n1,2,3\n', [], 'names column "x" twice'],
    ['empty', '', [], 'the file is empty'],
    ['header only', 'y,x\n', [], 'no data rows'],
    ['nothing left after drops', 'y,x\n1,NA\nNA,2\n', [], 'no rows are left'],
    ['infinity', `${good}3,Infinity\n`, [], 'row 5, column "x"'],
    ['overflow', `${good}3,1e999\n`, [], 'row 5, column "x"'],
    ['1e308', `${good}3,1e308\n`, [], 'row 5, column "x": the number is larger than 1e+150'],
    ['thousands', `${good}3,"1,234"\n`, [], 'row 5, column "x": 1 of 5 cells look like 1,234'],
    ['unterminated quote', `${good}3,"4\n5,6\n`, [], 'quote'],
    ['latin1 header', Buffer.from('y,x,gr\xf6\xdfe\n1,2,3\n', 'latin1'), [], 'not valid UTF-8'],
    [
      'missing, when refused',
      `${good}3,\n`,
      ['--missing', 'refuse'],
      'row 5, column "x": the cell is missing',
    ],
  ])('%s', async (name, content, flags, message) => {
    const { code, stdout, stderr } = await suffice(
      'fit',
      'y ~ x',
      file(`${name}.csv`, content),
      ...flags,
    );
    expect(stderr).toContain(message);
    expect(stderr).toContain('→');
    expect([code, stdout]).toEqual([3, '']);
  });

  it.each([
    ['a level', '"g":{"type":"category","levels":["a","b"]}', 'y ~ g', '2,zz-secret', 'column "g"'],
    ['a range', '"g":{"type":"number","range":[0,10]}', 'y ~ g', '2,98765.4321', 'column "g"'],
    [
      'a scale',
      '"g":{"type":"number","center":50,"scale":10}',
      'y ~ g',
      '2,98765.4321',
      'column "g"',
    ],
    ['a type', '"g":{"type":"number","range":[0,10]}', 'y ~ g', '2,zz-secret', 'column "g"'],
  ])(
    'outside %s of the codebook, with the value in the view of the file and not in the message',
    async (name, rule, formula, row, message) => {
      const codebook = file(`${name}.json`, `{"y":{"type":"number","range":[0,9]},${rule}}`);
      const first = name === 'a level' ? '1,a' : name === 'a scale' ? '1,52' : '1,2';
      const path = file(`${name}.csv`, `y,g\n${first}\n${row}\n`);
      const { code, stdout, stderr } = await suffice('fit', formula, path, '--codebook', codebook);
      expect(stderr).toContain(`row 2, ${message}`);
      const [view, said] = stderr.split('\nsuffice: ');
      expect(view).toMatch(/secret|98765/);
      expect(said).not.toMatch(/secret|98765/);
      expect([code, stdout]).toEqual([3, '']);
    },
  );

  it('a line of 2 GB', async () => {
    const path = file('line.csv', 'y,x\n1,2\n3,');
    truncateSync(path, 2 ** 31); // sparse: the disk holds a page of it
    appendFileSync(path, '\n5,6\n');
    const { code, stdout, stderr } = await runBuiltSuffice([
      ...['fit', 'y ~ x', path],
      ...['--threads', '1'],
    ]);
    expect(stderr).toContain('row 2');
    expect([code, stdout]).toEqual([3, '']);
  });
});

describe('an odd file gives the right answer', async () => {
  const expected = (await suffice('fit', 'y ~ x', file('good.csv', good), '--json')).stdout;

  it.each<[string, string | Uint8Array, readonly string[]]>([
    ['byte order mark', `\ufeff${good}`, []],
    ['CRLF', good.replaceAll('\n', '\r\n'), []],
    ['CR', good.replaceAll('\n', '\r'), []],
    ['no last line end', good.trimEnd(), []],
    ['UTF-16 LE', utf16(good, 'le'), []],
    ['UTF-16 BE', utf16(good, 'be'), []],
    ['tabs', good.replaceAll(',', '\t'), []],
    ['semicolons', good.replaceAll(',', ';'), []],
    ['quotes', 'y,x\n"1","2"\n"2",3\n4,"5"\n7,11\n', []],
    ['quoted line ends elsewhere', 'y,z,x\n1,"a\nb",2\n2,",",3\n4,"""",5\n7,,11\n', []],
    ['blank lines', good.replaceAll('\n', '\n\n'), []],
    ['Excel', `sep=;\n${good.replaceAll(',', ';')}`, []],
    ['decimal commas', 'y;x\n1,0;2,0\n2;3\n4;5\n7;1,1e1\n', ['--decimal', ',']],
    ['other spellings', 'y,x\n+1.0,2e0\n2, 3 \n.4e1,5.\n7,0011\n', []],
  ])('%s', async (name, content, flags) => {
    const path = file('good.csv', content);
    const { code, stdout, stderr } = await suffice('fit', 'y ~ x', path, '--json', ...flags);
    expect([code, stderr]).toEqual([0, '']);
    const answer = JSON.parse(stdout);
    const { digest, ...rest } = JSON.parse(expected);
    // Only the codebook's decimal mark may change what the study is called.
    if (name !== 'decimal commas') expect(answer.digest).toBe(digest);
    expect({ ...answer, digest }).toEqual({ ...rest, digest });
  });

  it('a site of one level keeps its category', async () => {
    const alone = file('f.csv', 'y,sex\n1,F\n2,F\n4,F\n');
    const both = file('m.csv', 'y,sex\n3,M\n4,F\n5,M\n');
    const { code, stdout } = await suffice('fit', 'y ~ sex', alone, both, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).terms.map((row: { term: string }) => row.term)).toEqual([
      '(Intercept)',
      'sexM',
    ]);
  });

  it('identifiers beyond 2⁵³ stay apart as levels', async () => {
    const ids = ['9007199254740992', '9007199254740993', '9007199254740995'];
    const rows = ids.flatMap((id, k) => [`${k},${id}`, `${k + 1},${id}`]);
    const { stdout } = await suffice(
      'fit',
      'y ~ factor(id)',
      file('ids.csv', `y,id\n${rows.join('\n')}\n`),
      '--json',
    );
    expect(JSON.parse(stdout).terms.map((row: { term: string }) => row.term)).toEqual([
      '(Intercept)',
      'factor(id)9007199254740993',
      'factor(id)9007199254740995',
    ]);
  });

  it('one row fits its mean and says that the slope is not defined', async () => {
    const { code, stdout } = await suffice('fit', 'y ~ x', file('one.csv', 'y,x\n5,2\n'), '--json');
    const answer = JSON.parse(stdout);
    expect([code, answer.terms, answer.aliased]).toEqual([
      0,
      [{ term: '(Intercept)', estimate: 5 }],
      ['x'],
    ]);
  });
});

it('every file of the corpus is read or refused, never a crash', async () => {
  const corpus = new URL('corpus/', import.meta.url);
  const names = readdirSync(corpus).filter((name) => name.endsWith('.csv'));
  for (const name of names.filter((_, k) => k % 4 === 0)) {
    const { code, stderr } = await suffice('fit', 'y ~ .', new URL(name, corpus).pathname);
    expect(code, `${name}: ${stderr}`).toBeOneOf([0, 2, 3]);
  }
});
