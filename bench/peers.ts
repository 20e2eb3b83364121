import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runChild } from './child.ts';
import { wideTable } from './data.ts';
import { blasThreads, findPython } from './peer.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const DATA_TABLE_FIT = fileURLToPath(new URL('data-table-fit.R', import.meta.url));
const PANDAS_FIT = fileURLToPath(new URL('pandas-fit.py', import.meta.url));

/** Whole processes from file to coefficients, beside data.table and pandas, for three sizes of file. */
export const peers: Section = {
  name: 'peers',
  title: 'Whole processes, two threads: data.table (fread, crossprod, solve) and pandas',
  run,
};

/** R with data.table and the file of its BLAS; undefined with a note of what to install. */
function findDataTable(note: Bench['note']): { readonly blas: string } | undefined {
  const asked = spawnSync('Rscript', ['-e', 'library(data.table); cat(extSoftVersion()["BLAS"])']);
  if (asked.status !== 0) {
    note('no data.table here: apt install r-base-core r-cran-data.table libopenblas0-pthread');
    return undefined;
  }
  const blas = realpathSync(asked.stdout.toString());
  if (/openblas|mkl/i.test(blas)) return { blas: blas.split('/').slice(-2).join('/') };
  note(`R uses ${blas}, which would flatter us: apt install libopenblas0-pthread`);
  return undefined;
}

/** A fit as a person calls it: it decides itself how many threads a file is worth. */
const ours =
  (...args: readonly string[]) =>
  async () =>
    (await runChild(process.execPath, [MAIN, 'fit', 'y ~ .', ...args])).seconds;

async function run(bench: Bench): Promise<readonly Line[]> {
  const dataTable = findDataTable(bench.note);
  const python = findPython();
  const fast = /openblas|mkl/i.test(bench.peer?.blas ?? '');
  if (!fast)
    bench.note('no numpy with OpenBLAS here: apt install python3-pandas libopenblas0-pthread');
  const pandas = fast && python?.versions.pandas ? python.command : undefined;
  const lines: Line[] = [];
  for (const rows of bench.quick ? [20_000] : [1_000_000, 200_000, 20_000]) {
    const table = wideTable(rows, bench.note);
    const best = await inTurn(bench.quick ? 1 : 3, {
      codebook: ours(table.csv, '--codebook', table.codebook),
      drafted: ours(table.csv),
      dataTable: async () =>
        dataTable === undefined
          ? Number.NaN
          : (await runChild('Rscript', [DATA_TABLE_FIT, table.csv, '2'], blasThreads(2))).seconds,
      pandas: async () =>
        pandas === undefined
          ? Number.NaN
          : (await runChild(pandas, [PANDAS_FIT, table.csv], blasThreads(2))).seconds,
    });
    const megabytes = `${(statSync(table.csv).size / 1e6).toFixed(0)} MB`;
    for (const kind of ['codebook', 'drafted'] as const) {
      const what = `CSV ${megabytes}, ${kind}`;
      lines.push(
        line(
          what,
          best[kind],
          best.dataTable,
          `data.table (${dataTable?.blas ?? 'missing'})`,
          rows === 1_000_000 ? largeGoals[kind] : 1,
        ),
        line(what, best[kind], best.pandas, `pandas (${pandas ? bench.peer?.blas : 'missing'})`, 1),
      );
    }
  }
  return lines;
}

/** Times faster than data.table at 1 GB; smaller files are to be ahead. */
const largeGoals = { codebook: 1.8, drafted: 1.2 };

function line(what: string, ours: number, theirs: number, peer: string, bound: number): Line {
  if (Number.isNaN(theirs)) return { what, ours: secondsText(ours), peer };
  const goal = held(theirs / ours, '≥', bound);
  return { what, ours: secondsText(ours), peer: `${peer} ${secondsText(theirs)}`, ...goal };
}
