import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openapi } from '../src/protocol/openapi.ts';
import { operationRows } from '../src/protocol/operations.ts';
import { refusalStatus } from '../src/protocol/refusal.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import { temporaryFolder } from './cli.ts';
import { cases, inputOf, siteName } from './foreign-rows.ts';
import { type Agreement, contribution } from './linear.ts';
import { clients, python, rscript, runPython } from './other-languages.ts';

const root = new URL('..', import.meta.url);
const doc = readFileSync(new URL('docs/protocol.md', root), 'utf8');

/** The code blocks of the document in one language. */
function blocks(language: string): string[] {
  return Array.from(
    doc.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms')),
    ([, code]) => code,
  );
}

/** The one block that defines a function. */
function blockWith(language: string, definition: string): string {
  const [block, ...others] = blocks(language).filter((code) => code.includes(definition));
  expect(block).toBeDefined();
  expect(others).toEqual([]);
  return block;
}

describe('docs/protocol.md', () => {
  it.each(['writer.py', 'writer.R', 'canonical_json.py'])('shows %s as it is', (name) => {
    const language = name.endsWith('.R') ? 'r' : 'python';
    expect(blocks(language)).toContain(readFileSync(join(clients, name), 'utf8'));
  });

  const rows = doc.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const firstCells = cells.map(([, first]) => first);

  it('has a row for every route, with who may ask and how it is answered', () => {
    for (const { method, path, who, request, answers } of Object.values(operationRows)) {
      const row = cells.find(([, first]) => first === `\`${method} ${path}\``);
      expect([path, row?.[2]]).toEqual([path, who.length === 0 ? 'anyone' : who.join(', ')]);
      expect([path, row?.[3] === '']).toEqual([path, request === undefined]);
      const statuses = row?.[4].match(/\b[2]\d\d\b/g)?.sort() ?? [];
      expect([path, ...statuses]).toEqual([path, ...Object.keys(answers)]);
    }
    const written = firstCells.filter((cell) => /^`(GET|POST|PUT|DELETE) /.test(cell));
    expect(written).toHaveLength(Object.keys(operationRows).length);
  });

  it('has a row for every refusal with its status', () => {
    const written = Object.fromEntries(
      cells
        .filter(([, status]) => /^[45]\d\d$/.test(status))
        .map(([, status, code]) => [code, status]),
    );
    for (const [code, status] of Object.entries(refusalStatus)) {
      expect([code, written[`\`${code}\``]]).toEqual([code, String(status)]);
    }
  });

  it('has a row for every key of metadata, layout, study, view and offer', () => {
    const [{ agreed }] = cases([44], 1);
    const file = encodeContribution({
      ...emptyContribution(agreed),
      seal: { key: 'k', signature: 's' },
    });
    const length = Number(new DataView(file.buffer).getBigUint64(0, true));
    const { __metadata__, statistic } = JSON.parse(
      new TextDecoder().decode(file.subarray(8, 8 + length)),
    );
    const schemas = openapi().components as { schemas: Record<string, JsonSchema> };
    const { Study, StudyView, Offer } = schemas.schemas;
    const keys = [
      ...Object.keys(__metadata__),
      ...Object.keys(agreed.layout),
      ...Study.anyOf!.flatMap(({ properties }) => Object.keys(properties)),
      ...Object.keys(StudyView.properties),
      ...Object.keys(Offer.properties.columns.items!.properties).filter((key) => key !== 'name'),
    ];
    const named = new Set(firstCells.flatMap((cell) => cell.match(/(?<=`)\w+(?=`)/g) ?? []));
    expect(keys.filter((key) => !named.has(key))).toEqual([]);
    for (const key of Object.keys(statistic)) expect(doc.includes(`"${key}"`)).toBe(true);
  });

  it('names every event of the audit log and every key of the signed documents', () => {
    const { Receipt, Erasure, Resolution, Analysis, AuditEntry } = (
      openapi().components as { schemas: Record<string, JsonSchema> }
    ).schemas;
    const words = [
      ...AuditEntry.properties.event.enum!,
      ...[Receipt, Erasure, Resolution, Analysis, AuditEntry].flatMap(({ properties }) =>
        Object.keys(properties),
      ),
    ];
    expect(
      words.filter((word) => !doc.includes(`\`${word}\``) && !doc.includes(`"${word}"`)),
    ).toEqual([]);
  });

  it('links only to files that exist', () => {
    for (const [, path] of doc.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
      expect(() => readFileSync(new URL(`docs/${path}`, root))).not.toThrow();
    }
  });
});

/** What these tests look at of a JSON schema. */
interface JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
}

function emptyContribution(agreed: Agreement) {
  return contribution(agreed, siteName, {
    statistic: { layout: agreed.layout, values: new Uint32Array(0) },
    rows: 0,
    dropped: 0,
    missing: {},
  });
}

describe.skipIf(python === undefined)('the Python of docs/protocol.md', () => {
  it('writes the same bytes as we do, on every grid', () => {
    const tried = [...cases([44], 150), ...cases([22, 44, 66, 88], 150)];
    const inputs = tried.map(inputOf);
    const driver = `
import sys
tables = json.load(sys.stdin)
def file(t):
    rows = [[float(v) for v in z] for z in t["z"]]
    return envelope(statistic(rows, t["layout"]), t["layout"], t["study"], t["site"], t["dropped"])
print(json.dumps([file(t).hex() for t in tables]))
`;
    const files = runPython(blockWith('python', 'def envelope') + driver, inputs) as string[];
    tried.forEach(({ ours }, k) => {
      expect(files[k]).toBe(Buffer.from(ours).toString('hex'));
    });
  });

  it('refuses a value outside its scale', () => {
    const [{ agreed }] = cases([44], 1);
    const z = [agreed.layout.references.map(({ center, scale }) => center + 1.5 * scale)];
    const driver = `
import sys
t = json.load(sys.stdin)
try:
    statistic(t["z"], t["layout"])
except ValueError as error:
    print(json.dumps(str(error)))
`;
    const answer = runPython(blockWith('python', 'def envelope') + driver, {
      z,
      layout: agreed.layout,
    });
    expect(answer).toBe('a value lies outside its scale');
  });

  it('writes canonical JSON as we do', () => {
    const values = fc.sample(
      fc.oneof(
        fc.jsonValue({ stringUnit: 'grapheme' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer().map((k) => k / 1000),
        fc.dictionary(
          fc.string({ unit: 'grapheme' }),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
        ),
      ),
      { seed: 5, numRuns: 2000 },
    );
    const edges = [
      1e21,
      1e20,
      123456789012345680000,
      1e-6,
      1e-7,
      1.5e-7,
      5e-324,
      2 ** 60,
      -0.1,
      0,
      1e300,
    ];
    const all = [...values, ...edges, { '\ue000': 1, '🐧': 2, a: true, b: null }];
    const driver = `
import sys
print(json.dumps([canonical(value) for value in json.load(sys.stdin)]))
`;
    const texts = runPython(blockWith('python', 'def canonical') + driver, all) as string[];
    all.forEach((value, k) => {
      // −0 is written 0 by both, but JSON.parse of what Python reads keeps the sign.
      expect(texts[k]).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
    });
  });
});

describe.skipIf(rscript === undefined)('the R of docs/protocol.md', () => {
  const folder = temporaryFolder();

  it('writes the same bytes as we do', () => {
    const tried = cases([44], 60);
    const calls = tried.map(({ agreed, z, dropped }, k) => {
      const q = agreed.layout.columns.length;
      const numbers = [
        ...z.flat(),
        ...agreed.layout.references.map(({ center }) => center),
        ...agreed.layout.references.map(({ scale }) => scale),
      ];
      const path = JSON.stringify(join(folder, `${k}.bin`));
      writeFileSync(join(folder, `${k}.bin`), new Uint8Array(Float64Array.from(numbers).buffer));
      return `
v <- readBin(${path}, "double", n = ${numbers.length})
write_contribution(${JSON.stringify(join(folder, `${k}.suffice`))}, matrix(v[seq_len(${z.length * q})], ncol = ${q}, byrow = TRUE),
  v[${z.length * q} + 1:${q}], v[${(z.length + 1) * q} + 1:${q}], "${agreed.digest}", site, ${dropped})`;
    });
    writeFileSync(join(folder, 'name'), `${siteName}\n`);
    const site = `site <- readLines(${JSON.stringify(join(folder, 'name'))}, encoding = "UTF-8")\n`;
    const script = join(folder, 'write.R');
    writeFileSync(
      script,
      `${blockWith('r', 'write_contribution <- ')}\n${site}${calls.join('\n')}\n`,
    );
    rscript!(['--vanilla', script]);
    tried.forEach(({ ours }, k) => {
      const file = readFileSync(join(folder, `${k}.suffice`));
      expect(file.toString('hex')).toBe(Buffer.from(ours).toString('hex'));
    });
  });
});
