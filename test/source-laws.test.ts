import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { defined } from '../src/defined.ts';
import { joinSummaries } from '../src/federate.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { useCredentials } from '../src/node/database/credentials.ts';
import { type DatabaseSource, databaseSource } from '../src/node/database/database-source.ts';
import { usePushdown } from '../src/node/database/pushdown.ts';
import type { DraftJob, DraftResult } from '../src/rows/draft-job.ts';
import type { Host } from '../src/rows/host.ts';
import type { Job } from '../src/rows/jobs.ts';
import { type Pool, poolOf, ReadingCancelled, type Thread } from '../src/rows/pool.ts';
import { prepareFit } from '../src/rows/prepare-fit.ts';
import type { ReduceJob, ReduceResult } from '../src/rows/reduce-job.ts';
import { serveJob } from '../src/rows/serve-jobs.ts';
import {
  type Address,
  evenRanges,
  type Opening,
  type Source,
  type SourceRange,
  type SourceReader,
} from '../src/rows/source.ts';
import { openSource, readerOf, versionAt } from '../src/rows/sources.ts';
import { reduceSite, scanSite } from '../src/site/site-table.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { digestJson } from '../src/study/digest.ts';
import type { TableStudy } from '../src/study/study.ts';
import { mergeDrafts } from '../src/table/draft.ts';
import { surveyCells } from '../src/table/draft-cells.ts';
import { draftCodebook } from '../src/table/draft-codebook.ts';
import { inMemoryBlock } from '../src/table/in-memory.ts';
import { temporaryFolder } from './cli.ts';
import { duckdbDatabase, postgresDatabase, type TestDatabase } from './database-tables.ts';
import { chosen, enduring } from './endurance.ts';
import { agreement, contribution } from './linear.ts';

const folder = temporaryFolder();

type Cells = Readonly<Record<string, readonly (number | string | null)[]>>;

/** A kind of source, and how the laws put rows where it reads them. */
interface Law {
  readonly kind: string;
  put(name: string, cells: Cells): Address;
  /** Whether ranges of it always meet, so that it is read once however it is cut. */
  readonly meets: boolean;
  /** Whether it is read by the thread that opened it, in one piece. */
  readonly here?: boolean;
}

const laws: readonly Law[] = [
  { kind: 'csv', put: csvWriter(',', '\n', (text) => Buffer.from(text)), meets: true },
  {
    kind: 'csv with line ends in quotes',
    put: csvWriter(';', '\r\n', (text) => Buffer.from(text.replaceAll('"ward', '"wa\n;\nrd'))),
    meets: false,
  },
  {
    kind: 'csv in UTF-16',
    put: csvWriter('\t', '\n', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    meets: false,
  },
  { kind: 'parquet', put: writeParquet, meets: true },
  { kind: 'toy', put: keepToy, meets: true },
  { kind: 'table of PostgreSQL', put: putInto('postgres'), meets: true, here: true },
  ...(enduring
    ? [{ kind: 'table of DuckDB', put: putInto('duckdb'), meets: true, here: true }]
    : []),
];

/** Tables that are being put into databases; opening one waits for it. */
const putting = new Map<string, Promise<unknown>>();
const databases = {
  postgres: onlyOnce(postgresDatabase),
  duckdb: onlyOnce(() => duckdbDatabase(folder)),
};

// A command that ran in this process before may have said otherwise.
beforeAll(() => usePushdown({ when: 'never', explain() {} }));

afterAll(async () => {
  await databases.postgres.stop();
  await databases.duckdb.stop();
});

function onlyOnce<D extends TestDatabase>(start: () => Promise<D>) {
  let started: Promise<D> | undefined;
  return {
    get: () => {
      started ??= start();
      return started;
    },
    stop: async () => (await started)?.stop(),
  };
}

/** Puts rows into a table; its address, which is known later, stands behind one that the law keeps. */
function putInto(engine: keyof typeof databases): Law['put'] {
  return (name, cells) => {
    const path = `law-${engine}:${name}`;
    const names = Object.keys(cells);
    const columns = Object.fromEntries(
      names.map((one) => {
        const isText = cells[one].some((cell) => typeof cell === 'string');
        return [one, isText ? ('text' as const) : ('number' as const)];
      }),
    );
    const rows = cells[names[0]].map((_, r) =>
      names.map((one) => (cells[one][r] === null ? null : String(cells[one][r]))),
    );
    const before = putting.get(path);
    const table = { columns, rows };
    putting.set(
      path,
      (async () => {
        await before;
        return (await databases[engine].get()).put(name, table);
      })(),
    );
    return { path };
  };
}

/** The reader of databases, at addresses of the law. */
const lawDatabaseSource: SourceReader<DatabaseSource> = {
  ...databaseSource,
  matches: ({ address }) => address.path.startsWith('law-'),
  async version(opening) {
    const { path: _, ...state } = await databaseSource.version(await atDatabase(opening));
    return { path: opening.address.path, ...state };
  },
  async open(opening) {
    const source = await databaseSource.open(await atDatabase(opening));
    const { path: _, ...state } = source.version;
    return {
      ...source,
      name: opening.address.path,
      version: { path: opening.address.path, ...state },
    };
  },
};

async function atDatabase(opening: Opening): Promise<Opening> {
  useCredentials({ env: { ...process.env, PGPASSWORD: 'postgres' } });
  const path = String(await putting.get(opening.address.path));
  return { ...opening, address: { path } };
}

function csvWriter(
  delimiter: string,
  newline: string,
  bytes: (text: string) => Buffer,
): Law['put'] {
  return (name, cells) => {
    const names = Object.keys(cells);
    const spell = (cell: number | string | null) =>
      typeof cell === 'string' ? `"${cell}"` : String(cell ?? 'NA');
    const lines = cells[names[0]].map((_, r) => names.map((one) => spell(cells[one][r])));
    const text = [names, ...lines].map((line) => line.join(delimiter) + newline).join('');
    return written(`${name}-${bytes('é').length}${delimiter.charCodeAt(0)}.csv`, bytes(text));
  };
}

function writeParquet(name: string, cells: Cells): Address {
  const columnData = Object.entries(cells).map(([column, data]) => {
    const isText = data.some((cell) => typeof cell === 'string');
    return {
      name: column,
      data: [...data],
      type: isText ? ('STRING' as const) : ('DOUBLE' as const),
    };
  });
  const rowGroupSize = Math.ceil(columnData[0].data.length / 9);
  const buffer = parquetWriteBuffer({ columnData, rowGroupSize });
  return written(`${name}.parquet`, Buffer.from(buffer));
}

let clock = 0;

function written(name: string, bytes: Buffer): Address {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  utimesSync(path, ++clock, clock); // a clock that no file system is too coarse for
  return { path };
}

/** Rows that a program holds: no file, an address of its own, rows as its ranges; as a database would be. */
interface ToySource extends Source {
  readonly kind: 'toy';
  readonly cells: Cells;
}

const toys = new Map<string, Cells>();
const TOY_BLOCK = 50;

function keepToy(name: string, cells: Cells): Address {
  toys.set(`toy:${name}`, cells);
  return { path: `toy:${name}` };
}

const rowsOf = (cells: Cells) => Object.values(cells)[0].length;

const toySource: SourceReader<ToySource> = {
  kind: 'toy',
  matches: ({ address }) => address.path.startsWith('toy:'),
  version: async ({ address: { path } }) => ({ path, state: digestJson(toys.get(path)) }),
  async open(opening) {
    const { path: name } = opening.address;
    const cells = toys.get(name)!;
    const version = await toySource.version(opening);
    const header = Object.keys(cells);
    return { kind: 'toy', name, header, length: 100 * rowsOf(cells), version, cells };
  },
  cut: ({ cells }, pieces) => evenRanges(rowsOf(cells), pieces),
  async scan(reading, { wanted, texts, missing, decimal }) {
    const { name: file, cells } = reading.source;
    const options = { texts: new Set(texts), missing, ...defined({ decimal }) };
    const surveys = wanted.map((column) => surveyCells({ file, column }, options));
    const edges = toyBlocks(reading, (from, to) => {
      for (let r = from; r < to; r++) {
        const row = r + 1 - (reading.range?.from ?? 0);
        for (const [k, survey] of surveys.entries()) survey.meet(cells[wanted[k]][r], row, 1);
      }
    });
    const start = { file, at: edges.from };
    const columns = new Map(wanted.map((name, k) => [name, surveys[k].result(start)]));
    return { draft: { segments: [{ ...start, rows: edges.to - edges.from }], columns }, edges };
  },
  async read(reading, wanted, sink) {
    const { name, cells } = reading.source;
    return toyBlocks(reading, (from, to) => {
      const part = Object.entries(cells).map(([column, all]) => [column, all.slice(from, to)]);
      sink(inMemoryBlock(wanted, Object.fromEntries(part), name, from + 1), from + 1);
    });
  },
};

function toyBlocks(
  { source, range, progress }: Parameters<typeof toySource.read>[0],
  take: (from: number, to: number) => void,
): SourceRange {
  const edges = range ?? { from: 0, to: rowsOf(source.cells) };
  for (let from = edges.from; from < edges.to; from += TOY_BLOCK) {
    const to = Math.min(edges.to, from + TOY_BLOCK);
    take(from, to);
    progress(100 * (to - edges.from), to - edges.from);
  }
  return edges;
}

let open = 0;

/** The host of Node with one more kind of source; counts the files that are open. */
const host: Host = {
  ...nodeHost,
  async open(file) {
    const reader = await nodeHost.open(file);
    open++;
    return {
      ...reader,
      close() {
        open--;
        return reader.close();
      },
    };
  },
  sources: [toySource, lawDatabaseSource],
};

/** The pool as it is, over threads that are tasks of this one; what they are sent is cloned, as for a thread. */
function localPool(threads: number, posted: Job[] = []): Pool {
  const startThread = (): Thread => {
    let hear: Parameters<Thread['listen']>[0] = () => {};
    return {
      post(job) {
        posted.push(job);
        void serveJob(structuredClone(job), host, (message) => hear(structuredClone(message)));
      },
      listen(listener) {
        hear = listener;
        return () => {};
      },
      terminate: () => {},
    };
  };
  return poolOf({ threads, leastBytes: 0, leastRange: 1, host, startThread });
}

const N = 1000;
const wards = ['ward a', 'ward b', 'ward c'];

function table(rows: number): Cells {
  const cell = (r: number, k: number) => ((r * 7919 + k * 104729) % 1000) / 8 - 60;
  const all = Array.from({ length: rows }, (_, r) => r);
  return {
    place: all,
    x: all.map((r) => (r % 97 === 5 ? null : cell(r, 1))),
    ward: all.map((r) => (r % 89 === 7 ? null : wards[(r * 31) % 3])),
    y: all.map((r) => cell(r, 2)),
  };
}

const rows = table(N);

const codebookOf = (levels: readonly string[]): Codebook => ({
  place: { type: 'number', range: [0, 1e6] },
  x: { type: 'number', range: [-100, 100] },
  ward: { type: 'category', levels: [...levels] },
  y: { type: 'number', range: [-100, 100] },
});

const studyWith = (levels: readonly string[]): TableStudy => ({
  schema: 'suffice/study@1',
  formula: 'y ~ x + ward',
  codebook: codebookOf(levels),
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
});

const quiet = () => ({ update() {}, done() {} });
const cuts = [1, 2, 3, 5, 8];

describe.each(laws)('a source of kind $kind', ({ kind, put, meets, here }) => {
  const levels = kind.includes('quotes') ? wards.map((w) => w.replace('ward', 'wa\n;\nrd')) : wards;
  const study = studyWith(levels);
  const agreed = agreement(study);
  const address = put('rows', rows);
  const opened = (wanted: readonly string[] = []) => openSource(host, address, wanted);

  async function reduced(source: Source, pieces: number, posted: Job[] = []) {
    const job: ReduceJob = {
      kind: 'reduce',
      study,
      source,
      missing: 'drop',
      wholeFile: false,
      site: { name: 's' },
    };
    const joined = (parts: readonly ReduceResult[]): ReduceResult => {
      const summaries = parts.map(({ sites }) => sites[0].summary);
      return { sites: [{ name: 's', summary: joinSummaries(agreed.rowsLayout, summaries) }] };
    };
    const [{ sites }] = await localPool(pieces, posted).run([job], joined, () => {});
    const { rows, dropped, missing, statistic } = sites[0].summary;
    return { rows, dropped, missing, values: [...statistic.values] };
  }

  async function drafted(source: Source, pieces: number, wanted: readonly string[]) {
    const scan = { wanted, texts: ['ward'], missing: [], decimal: '.' } as const;
    const job: DraftJob = { kind: 'draft', source, ...scan };
    const join = (parts: readonly DraftResult[]) => ({
      draft: parts.map(({ draft }) => draft).reduce(mergeDrafts),
    });
    const [{ draft }] = await localPool(pieces).run([job], join, () => {});
    return draft;
  }

  it('has the header that was written, and is plain data', async () => {
    const source = await opened();
    expect(source.header).toEqual(Object.keys(rows));
    expect(source.name).toBe(address.path);
    expect(structuredClone(source)).toEqual(source);
    expect(JSON.parse(JSON.stringify(source))).toEqual(source);
  });

  it('gives one statistic however it is cut, bit for bit', async () => {
    const source = await opened(['x', 'ward', 'y']);
    const whole = await reduced(source, 1);
    expect(whole.rows).toBeGreaterThan(0.9 * N);
    expect(whole.rows + whole.dropped).toBe(N);
    let again = 0;
    for (const pieces of cuts.slice(1)) {
      const posted: Job[] = [];
      expect(await reduced(source, pieces, posted), `${pieces} pieces`).toEqual(whole);
      if (meets) expect(posted).toHaveLength(here === true ? 0 : pieces);
      again += posted.filter(({ range }) => range === undefined).length;
    }
    expect(again > 0).toBe(!meets);
  });

  it('gives every row once and in order, in each range', async () => {
    const source = await opened(['place']);
    const reader = readerOf(host, source);
    const column = { name: 'place', column: codebookOf([]).place };
    for (const pieces of cuts) {
      const ranges = reader.cut(source, pieces);
      expect(ranges.length).toBeLessThanOrEqual(pieces);
      const seen: number[] = [];
      let before: SourceRange | undefined;
      let met = true;
      for (const range of ranges.length === 0 ? [undefined] : ranges) {
        const reading = { files: host, source, ...(range && { range }), progress: () => {} };
        const edges = await reader
          .read(reading, [column], (block) => seen.push(...block.columns[0]))
          .catch(() => ({ from: Number.NaN, to: Number.NaN })); // refused: it began inside quotes
        met &&= before === undefined || before.to === edges.from;
        before = edges;
      }
      if (meets) expect(met).toBe(true);
      if (met) expect(seen).toEqual(rows.place);
    }
  });

  it.each(chosen([0, 3, 499, 998, 999], 0, 2, 4))(
    'refuses row %i by its number however it is cut',
    async (row) => {
      const spoilt = { ...rows, y: rows.y.map((value, r) => (r === row ? 1e9 : value)) };
      const source = await openSource(host, put('spoilt', spoilt), []);
      for (const pieces of cuts) {
        const refusal = await reduced(source, pieces).catch((failure) => failure);
        expect(refusal).toBeInstanceOf(DataError);
        expect(refusal.place).toEqual({ file: source.name, row: row + 1, column: 'y' });
      }
    },
  );

  it('drafts one codebook however it is cut', async () => {
    const source = await opened();
    const options = { factors: new Set(['ward']), decimal: '.' } as const;
    const whole = draftCodebook(await drafted(source, 1, source.header), options);
    expect(whole).toMatchObject({ ward: { levels }, place: { range: [0, N - 1] } });
    for (const pieces of cuts) {
      const draft = await drafted(source, pieces, source.header);
      expect(draft.segments.reduce((sum, segment) => sum + segment.rows, 0)).toBe(N);
      expect(draftCodebook(draft, options)).toEqual(whole);
    }
  });

  it('tells of a text among numbers by its row however it is cut', async () => {
    const spoilt = {
      ...rows,
      x: rows.x.map((value, r) => (r === 700 ? 'tall' : String(value ?? 'NA'))),
    };
    const source = await openSource(host, put('texts', spoilt), []);
    for (const pieces of cuts) {
      const draft = await drafted(source, pieces, ['x']);
      const suggest = () => draftCodebook(draft, { factors: new Set(), decimal: '.' });
      expect(suggest).toThrow(`${source.name}, row 701, column "x": text in a column of numbers`);
    }
  });

  it('has another version once its content is another, and the same one until then', async () => {
    const versions = async (at: Address) => {
      const { version } = await openSource(host, at, []);
      expect(await versionAt(host, at)).toEqual(version);
      return canonicalJson(version);
    };
    const changing = put('changing', rows);
    const first = await versions(changing);
    expect(await versions(changing)).toBe(first);
    put('changing', { ...rows, y: rows.y.toReversed() });
    expect(await versions(changing)).not.toBe(first);
  });

  it('refuses a wanted column that is absent, by its name', async () => {
    const refusal = await opened(['x', 'height']).catch((failure) => failure);
    expect(refusal).toBeInstanceOf(DataError);
    expect(refusal.message).toContain('"height"');
    expect(refusal.message).not.toContain('column "x"');
  });

  it('hears Stop before its end, reading and scanning, and closes what it opened', async () => {
    const source = await openSource(host, put('long', table(30_000)), []);
    const reader = readerOf(host, source);
    for (const work of ['read', 'scan'] as const) {
      let heard = 0;
      const progress = (bytes: number) => {
        heard = bytes / source.length;
        throw new ReadingCancelled();
      };
      const reading = { files: host, source, progress };
      const wanted = Object.entries(codebookOf(levels)).map(([name, column]) => ({ name, column }));
      const running =
        work === 'read'
          ? reader.read(reading, wanted, () => {})
          : reader.scan(reading, { wanted: source.header, texts: [], missing: [], decimal: '.' });
      await expect(running).rejects.toThrow(ReadingCancelled);
      expect(heard).toBeGreaterThan(0);
      expect(heard).toBeLessThan(0.9);
    }
    expect(open).toBe(0);
  });

  it('says how far it is, up to its length', async () => {
    const source = await opened();
    const told: number[] = [];
    const scan = { wanted: source.header, texts: [], missing: [], decimal: '.' } as const;
    const job: DraftJob = { kind: 'draft', source, ...scan };
    const [first] = await localPool(1).run(
      [job],
      ([one]) => one,
      (bytes) => told.push(bytes),
    );
    expect(first.draft.columns.size).toBe(4);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBeCloseTo(source.length, 6);
  });

  it('is offered, fitted and sent as any other: the same bytes leave', async () => {
    const pool = localPool(3);
    const choices = { missing: 'drop' } as const;
    const site = await scanSite(study, address, choices, pool, quiet);
    expect(site.columns.map(({ name }) => name)).toEqual(['y', 'x', 'ward']);
    const { summary } = await reduceSite(agreed, 'north', site, choices, pool, quiet);
    const expected = await reduceSite(
      agreement(studyWith(wards)),
      'north',
      await scanSite(studyWith(wards), laws[0].put('reference', rows), choices, pool, quiet),
      choices,
      pool,
      quiet,
    );
    const values = ({ statistic }: typeof summary) => [...statistic.values];
    expect(values(summary)).toEqual(values(expected.summary));
    if (levels === wards) {
      const bytes = (sent: typeof summary) => encodeContribution(contribution(agreed, 'n', sent));
      expect(bytes(summary)).toEqual(bytes(expected.summary));
    }
    const plan = { formula: 'y ~ x + ward', files: [address], missingMarkers: [] };
    const options = { arithmetic: 'exact', decimal: '.', fusion: study.fusion } as const;
    const prepared = await prepareFit({ ...plan, ...options }, pool, quiet);
    expect(prepared.study.codebook).toMatchObject({ ward: { type: 'category', levels } });
  });
});

it('the version of a file is kept with the keys that older folders have', async () => {
  const { path } = laws[0].put('kept', rows);
  const { size, mtimeMs } = statSync(path);
  expect(await versionAt(nodeHost, { path })).toEqual({ path, bytes: size, modified: mtimeMs });
});

it('nobody but its own reader and the registry knows of a kind', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const own =
    /^src\/(rows\/((csv|idx|png|ppm|mat|cifar)-\w+|parquet-source|sources)|node\/files\/npm-\w+)\.ts$/;
  const parsers =
    /(table\/(parquet|draft-parquet|csv|csv-stream|draft-scan|dialect|encoding)|images\/(png|idx|ppm|mat))\.ts'/;
  const branch =
    /[=!]== '(csv|parquet|idx|png|ppm|mat|cifar)'|case '(csv|parquet|idx|png|ppm|mat|cifar)'|PAR1/;
  const told = ['src/rows', 'src/site', 'src/node', 'web'].flatMap((area) =>
    readdirSync(join(root, area), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${area}/${file}`)
      .filter((file) => !own.test(file))
      .filter((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        return parsers.test(text) || branch.test(text);
      }),
  );
  // It measures how fast text is parsed, and reads nobody's rows.
  expect(told).toEqual(['src/node/compute/bench-kernels.ts']);
});

it('a source of a kind that nobody reads here is refused', async () => {
  const source = await openSource(host, keepToy('lost', rows), []);
  expect(() => readerOf(nodeHost, source)).toThrow('no reader of sources of kind "toy"');
});
