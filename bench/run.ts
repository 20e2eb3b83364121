import { parseArgs } from 'node:util';
import { findBlas } from '../src/node/compute/blas.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { canFuse } from '../src/numeric/kernels.ts';
import { backbone } from './backbone.ts';
import { before } from './before.ts';
import { blas } from './blas.ts';
import { clickhouse } from './clickhouse.ts';
import { collinear } from './collinear.ts';
import { csv } from './csv.ts';
import { databases } from './databases.ts';
import { e2e } from './e2e.ts';
import { exact } from './exact.ts';
import { fesc } from './fesc.ts';
import { gram } from './gram.ts';
import { images } from './images.ts';
import { load } from './load.ts';
import { loso } from './loso.ts';
import { masks } from './masks.ts';
import { network } from './network.ts';
import { findPython, startPeer } from './peer.ts';
import { peers } from './peers.ts';
import { privacy } from './privacy.ts';
import { pushdown } from './pushdown.ts';
import { describeMachine, foreignLoad, sectionHead, writeResults } from './results.ts';
import { scaling } from './scaling.ts';
import type { Section } from './section.ts';
import { secure } from './secure.ts';
import { solve } from './solve.ts';
import { tab } from './tab.ts';
import { type Line, plainTable } from './table.ts';
import { tree } from './tree.ts';
import { vertical } from './vertical.ts';
import { wide } from './wide.ts';

enableRelaxedSimd();

const sections = [
  e2e,
  peers,
  before,
  csv,
  gram,
  blas,
  exact,
  solve,
  wide,
  loso,
  images,
  privacy,
  masks,
  fesc,
  backbone,
  network,
  secure,
  scaling,
  tab,
  load,
  databases,
  clickhouse,
  pushdown,
  collinear,
  tree,
  vertical,
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    rows: { type: 'string' },
  },
});
const wanted = values.only?.split(',') ?? sections.map((section) => section.name);
for (const name of wanted) {
  if (!sections.some((section) => section.name === name)) {
    throw new RangeError(`--only: no section "${name}"; there are ${sections.map((s) => s.name)}`);
  }
}

const note = (text: string) => process.stderr.write(`  (${text})\n`);
const python = findPython();
if (python === undefined) note('no Python here: nothing to compare with');
const peer = python?.versions.numpy ? await startPeer(python) : undefined;
const machine = describeMachine({
  wasm: canFuse() ? 'SIMD128 + relaxed FMA' : 'SIMD128',
  'our BLAS': (await findBlas())?.name ?? null,
  ...(python?.versions ?? { python: null }),
  'numpy BLAS': peer?.blas ?? null,
});
if (values.quick) note('--quick: smaller data, fewer rounds; the goals are those of the full run');
const ran = new Map<Section, { head: string; lines: readonly Line[] }>();
for (const section of sections.filter(({ name }) => wanted.includes(name))) {
  const head = sectionHead(section, machine, await foreignLoad());
  process.stdout.write(head);
  const lines = await section.run({
    quick: values.quick,
    peer,
    note,
    ...(values.rows === undefined ? {} : { rows: Number(values.rows) }),
  });
  process.stdout.write(`${plainTable(lines)}\n`);
  ran.set(section, { head, lines });
}
peer?.close();

if (values.quick) note('--quick: RESULTS.md is left as it is');
else note(`written to ${writeResults(ran, sections)}`);
