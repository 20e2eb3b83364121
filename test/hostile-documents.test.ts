import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FailureError } from '../src/failure.ts';
import { agreement, readContribution } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { verifyFile } from '../src/node/run/verify-file.ts';
import { ledgerView } from '../src/node/site/ledger-view.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import {
  chainedLine,
  headText,
  type LedgerLine,
  lineDigest,
  prefixDigest,
} from '../src/site/ledger-chain.ts';
import { parseSecret } from '../src/site/site-secret.ts';
import { boundedJson } from '../src/text/bounded-json.ts';
import { type Chance, chance } from './chance.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { changedAt, type Json, markers, placesIn } from './hostile-models.ts';

const landed = new URL('./vectors/landed/', import.meta.url).pathname;
const folder = temporaryFolder();
const jsonAt = (...parts: readonly string[]): Json =>
  JSON.parse(readFileSync(join(landed, ...parts), 'utf8'));
const named = (place: string, ending: string) =>
  readdirSync(join(landed, place)).filter((name) => name.endsWith(ending));

/** The stack of a failure without a problem and a remedy. */
async function crash(work: () => unknown): Promise<string | undefined> {
  try {
    await work();
  } catch (failure) {
    if (failure instanceof FailureError || (failure as Error).name === 'ZodError') return undefined;
    return (failure as Error).stack;
  }
  return undefined;
}

function mutated(json: Json, { below }: Chance): { readonly json: Json; readonly what: string } {
  const places = placesIn(json);
  const place = places[below(places.length)]!;
  const [what, value] = markers[below(markers.length)]!;
  return { json: changedAt(json, place, value), what: `${what} at ${place.join('.')}` };
}

/** Cases of each kind. */
const CASES = enduring ? 20_000 : 60;

describe(`${CASES} hostile documents of each kind end no command without a reason`, () => {
  it('studies', async () => {
    const draw = chance(21);
    const studies = named('files', '.study.json').map((name) => jsonAt('files', name));
    for (let k = 0; k < CASES; k++) {
      const { json, what } = mutated(studies[k % studies.length]!, draw);
      expect(await crash(() => agreement(parseStudy(json))), what).toBeUndefined();
    }
  });

  it('contributions', async () => {
    const draw = chance(22);
    const files = named('files', '.suffice').map((name) => ({
      bytes: readFileSync(join(landed, 'files', name)),
      agreed: agreement(parseStudy(jsonAt('files', `${name.split('.')[0]}.study.json`))),
    }));
    for (let k = 0; k < CASES; k++) {
      const { bytes, agreed } = files[k % files.length]!;
      const file = k % 2 === 0 ? withBytes(bytes, draw) : withHeader(bytes, draw);
      expect(await crash(() => readContribution(agreed, file)), String(k)).toBeUndefined();
    }
  });

  it('receipts and resolutions', async () => {
    const draw = chance(23);
    const documents = [
      ...named('reports', '.json').map((name) => jsonAt('reports', name)),
      ...named('site/receipts', '.json').map((name) => jsonAt('site/receipts', name)),
    ];
    const path = join(folder, 'document.json');
    for (let k = 0; k < CASES; k++) {
      const { json, what } = mutated(documents[k % documents.length]!, draw);
      writeFileSync(path, JSON.stringify(json));
      expect(await crash(() => verifyFile(path, {})), what).toBeUndefined();
    }
  });

  it('ledgers, sealed with the secret of their folder', async () => {
    const draw = chance(24);
    const home = mkdtempSync(join(folder, 'home-'));
    cpSync(join(landed, 'site'), home, { recursive: true });
    const secret = parseSecret(readFileSync(join(home, 'ledger.secret'), 'utf8'))!;
    const lines = readFileSync(join(home, 'ledger.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((text) => {
        const { previous: _, mac: __, ...line } = JSON.parse(text);
        return line as Json;
      });
    const site = await openSiteFolder(home);
    let kept = 0;
    for (let k = 0; k < CASES; k++) {
      const { json, what } = mutated(lines[k % lines.length]!, draw);
      let last = prefixDigest([]);
      const texts = lines.with(k % lines.length, json).map((line) => {
        const text = chainedLine(line as unknown as LedgerLine, last, secret);
        last = lineDigest(text);
        return text;
      });
      writeFileSync(join(home, 'ledger.jsonl'), `${texts.join('\n')}\n`);
      writeFileSync(join(home, 'ledger.head'), headText(texts.length, last, secret));
      expect(
        await crash(async () => {
          if ((await ledgerView(site)).intact) kept++;
        }),
        what,
      ).toBeUndefined();
    }
    expect(kept).toBeLessThan(CASES);
  });
});

function withBytes(bytes: Uint8Array, { below }: Chance): Uint8Array {
  const file = Uint8Array.from(bytes);
  for (let k = below(4); k >= 0; k--) file[below(file.length)] = below(256);
  return below(5) === 0 ? file.subarray(0, below(file.length)) : file;
}

/** The file with another header: eight bytes of its length, then its JSON. */
function withHeader(bytes: Uint8Array, draw: Chance): Uint8Array {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header: Json = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const text = new TextEncoder().encode(JSON.stringify(mutated(header, draw).json));
  const file = new Uint8Array(8 + text.length + bytes.length - 8 - length);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  file.set(bytes.subarray(8 + length), 8 + text.length);
  return file;
}

describe('JSON that is nested too deep', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it('is refused, and what is deep enough for any document passes', () => {
    expect(() => boundedJson(deep(65))).toThrow(SyntaxError);
    expect(boundedJson(`{"a":"[[[[\\"${'['.repeat(99)}","b":${deep(63)}}`)).toHaveProperty('b');
  });

  it('ends no command with a stack trace', async () => {
    const path = join(folder, 'deep.json');
    const seal = '{"key":"x","signature":"y"}';
    writeFileSync(path, `{"schema":"suffice/receipt@1","seal":${seal},"study":${deep(100_000)}}`);
    for (const args of [
      ['verify', path, '--study', path],
      ['export', path, '--format', 'r'],
      ['study', 'check', path],
      ['audit-log', 'verify', path],
    ]) {
      const { code, stderr } = await suffice(...args);
      expect([2, 3], `${args[0]}: ${stderr}`).toContain(code);
      expect(stderr).toMatch(/^suffice: .*\n {2}→ .*\n$/);
    }
  });
});
