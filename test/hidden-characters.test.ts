import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { siteRow } from '../src/coordinator/study-records.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type { Study } from '../src/study/study.ts';
import { escapeHtml } from '../src/text/html-text.ts';
import {
  hiddenCharacter,
  visibleJson,
  visibleLines,
  visibleText,
} from '../src/text/visible-text.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { jsonOf, openSession, study } from './http-study.ts';
import { agreement } from './linear.ts';

const folder = temporaryFolder();
const BIDI = '\u202e';
const ESCAPE = '\u001b[31m';
const range = { type: 'number', range: [-10, 10] } as const;

let stores = 0;
const freshStore = () => openSqliteStore(join(folder, `store-${stores++}.db`));

describe('a hidden character', () => {
  it.each([
    ['an override', `x${BIDI}egassem`, 'x<U+202E>egassem'],
    ['an isolate', 'a\u2066b', 'a<U+2066>b'],
    ['an escape', `${ESCAPE}red`, '<U+001B>[31mred'],
    ['a nul', 'a\0b', 'a<U+0000>b'],
    ['a zero-width space', 'a\u200bb', 'a<U+200B>b'],
    ['a byte order mark', '\ufeffa', '<U+FEFF>a'],
    ['a soft hyphen', 'a\u00adb', 'a<U+00AD>b'],
    ['a line separator', 'a\u2028b', 'a<U+2028>b'],
    ['half a character', 'a\ud800b', 'a<U+D800>b'],
    ['a tag', 'a\u{e0061}b', 'a<U+E0061>b'],
    ['a filler', 'a\u3164b', 'a<U+3164>b'],
    ['a half-width filler', 'a\uffa0', 'a<U+FFA0>'],
    ['a variation selector', 'a\ufe0fb', 'a<U+FE0F>b'],
    ['another one', 'a\u{e0101}b', 'a<U+E0101>b'],
    ['a grapheme joiner', 'a\u034fb', 'a<U+034F>b'],
    ['a Braille cell without dots', 'a\u2800', 'a<U+2800>'],
    ['a joiner at the end', 'ab\u200d', 'ab<U+200D>'],
  ])('is written out: %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(escapeHtml(text)).toBe(shown.replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
    expect(hiddenCharacter(text, 'text')).toBe(/U\+[0-9A-F]+/.exec(shown)?.[0]);
  });

  it.each([
    ['Persian', 'می\u200cخواهم'],
    ['Sinhala', 'ක්\u200dෂ'],
    ['a family of emoji', '👩\u200d👧'],
    ['an emoji of several parts', '🏳️\u200d🌈'],
    ['a coloured emoji', 'a ❤\ufe0f b'],
    ['a key', '1\ufe0f\u20e3'],
    ['a form of a Han letter', '葛\u{e0100}城'],
    ['Braille', '⠓⠊'],
    ['Korean', '한국어'],
    ['combining marks', 'e\u0301te\u0301'],
    ['Hebrew', 'שלום'],
    ['no-break space', 'a\u00a0b'],
  ])('is none in %s', (_, text) => {
    expect(visibleText(text)).toBe(text);
    expect(hiddenCharacter(text, 'text')).toBeUndefined();
  });

  it('is one in a name, where joiners make two names look the same', () => {
    expect(hiddenCharacter('می\u200cخواهم', 'name')).toBe('U+200C');
    expect(hiddenCharacter('葛\u{e0100}城', 'name')).toBe('U+E0100');
    expect(hiddenCharacter('❤\ufe0f', 'name')).toBeUndefined();
  });

  it('are escapes in JSON, which has the same value', () => {
    const value = { 'a\u009b': ['\u202e', '\u{e0001}', 'é\n\t\u007f', '\u2028'] };
    for (const indent of [0, 2]) {
      const text = visibleJson(JSON.stringify(value, null, indent));
      expect(JSON.parse(text)).toEqual(value);
      expect(text).not.toMatch(/[\u007f-\u009f\u2028\u202e\u{e0001}]/u);
    }
  });

  it('is not the line end or the bold of a terminal', () => {
    expect(visibleLines(`\u001b[1ma\u001b[22m\n\tb${BIDI}`)).toBe(
      '\u001b[1ma\u001b[22m\n\tb<U+202E>',
    );
  });
});

/** A place for a text in a study, with what is said of it there. */
const places: readonly (readonly [string, (text: string) => Study, RegExp])[] = [
  [
    'the name of a column',
    (text) => ({ ...study, codebook: { ...study.codebook, [`a${text}`]: range } }),
    /the name of column "a<U\+202E>" has the hidden character U\+202E/,
  ],
  [
    'a level',
    (text) => ({
      ...study,
      codebook: { ...study.codebook, g: { type: 'category', levels: ['a', `b${text}`] } },
    }),
    /level 2 of column "g" has the hidden character U\+202E/,
  ],
  [
    'a unit',
    (text) => ({ ...study, codebook: { ...study.codebook, x: { ...range, unit: `mm${text}` } } }),
    /the unit of column "x"/,
  ],
  ['the title', (text) => ({ ...study, name: `t${text}` }), /the name of the study/],
  [
    'a missing marker',
    (text) => ({ ...study, codebook: { ...study.codebook, x: { ...range, missing: [text] } } }),
    /missing marker 1 of column "x"/,
  ],
  [
    'the formula',
    (text) => ({ ...study, formula: `y ~ x + I(x > 0)${text}` }),
    /the formula has the hidden character/,
  ],
];

describe('a new study', () => {
  it.each(places)(
    'is refused with a hidden character in %s: nothing is stored',
    async (_, withText, says) => {
      const path = join(folder, 'hidden.json');
      writeFileSync(path, JSON.stringify(withText(BIDI)));
      const checked = await suffice('study', 'check', path);
      expect(checked.code).toBe(3);
      expect(checked.stdout).toMatch(says);
      expect(checked.stdout).not.toContain(BIDI);

      const session = await openSession(await freshStore());
      const token = session.operator;
      const before = await jsonOf<{ studies: unknown[] }>(
        session.ask('GET', '/studies', { token }),
      );
      const answer = await session.ask('POST', '/studies', {
        token,
        json: { study: withText(BIDI), sites: ['a'] },
      });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(await answer.json())).toMatch(/hidden character U\+202E/);
      expect(await jsonOf(session.ask('GET', '/studies', { token }))).toEqual(before);
      await session.store.close();
    },
  );

  it('invites a site of an earlier version again, whatever its name has', async () => {
    const session = await openSession(await freshStore(), ['north']);
    const { path, admin, store, created, ask } = session;
    const name = 'می\u200cخواهم';
    const invite = () => ask('POST', `${path}/invitations`, { token: admin, json: { site: name } });
    expect((await invite()).status).toBe(400);
    await store.write(created.id, async (db) => {
      await db.insertInto('sites').values(siteRow(created.id, name)).execute();
    });
    const again = await invite();
    expect([again.status, (await jsonOf<{ site: string }>(again)).site]).toEqual([201, name]);
  });

  it('has sites with names that can be seen', async () => {
    const session = await openSession(await freshStore());
    const { operator, path, admin } = session;
    const answers = await Promise.all([
      session.ask('POST', '/studies', {
        token: operator,
        json: { study: { ...study, name: 'n' }, sites: [`a${BIDI}`] },
      }),
      session.ask('POST', `${path}/invitations`, { token: admin, json: { site: `b\u200b` } }),
      session.ask('POST', `${path}/invitations`, { token: admin, json: { site: 'Zürich 東京' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 201]);
    await session.store.close();
  });

  it('is drafted from no file with a hidden name', async () => {
    const table = join(folder, 'hidden.csv');
    const out = join(folder, 'drafted.json');
    writeFileSync(
      table,
      `y,x\u200b\n${Array.from({ length: 30 }, (_, k) => `${k},${k % 7}`).join('\n')}\n`,
    );
    const { code, stderr } = await suffice('study', 'init', 'y ~ .', table, '--out', out);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/"x<U\+200B>" has the hidden character U\+200B/),
    ]);
    expect(() => readFileSync(out)).toThrow();
  });
});

describe('an old study or model with hidden characters', () => {
  it('opens', () => {
    for (const [, withText] of places.slice(0, 5))
      expect(() => agreement(parseStudy(withText(BIDI)))).not.toThrow();
  });

  it('is shown with them written out', async () => {
    const name = `x${BIDI}egassem${ESCAPE}`;
    const table = join(folder, 'old.csv');
    const model = join(folder, 'old.json');
    const rows = Array.from(
      { length: 30 },
      (_, k) => `${k},${(k * 7) % 11},${k % 2 === 0 ? 'a' : `b${BIDI}`}`,
    );
    writeFileSync(table, `y,${name},g\n${rows.join('\n')}\n`);
    const fit = await suffice('fit', 'y ~ .', table, '--show', 'all', '--save-model', model);
    const html = await suffice('export', model, '--format', 'html');
    const wrong = await suffice('fit', `y ~ \`${name}\` + nothing`, table);
    for (const { stdout, stderr } of [fit, html, wrong]) {
      const odd = [...`${stdout}${stderr}`].filter(
        (one) => /[\p{Cc}\p{Cf}]/u.test(one) && !/[\n\t]/.test(one),
      );
      expect(odd).toEqual([]);
    }
    expect([fit.code, html.code, wrong.code]).toEqual([0, 0, 2]);
    expect(fit.stdout).toContain('x<U+202E>egassem<U+001B>[31m');
    expect(html.stdout).toContain('x&lt;U+202E&gt;egassem');
  });
});
