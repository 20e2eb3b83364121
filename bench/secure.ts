import { randomBytes } from 'node:crypto';
import type { TwoAggregators } from '../src/aggregation/two-aggregators.ts';
import { loadedKem } from '../src/cipher/kems.ts';
import {
  type Agreement,
  agreement,
  contribution,
  readContribution,
  reduction,
} from '../src/federate.ts';
import { addMasks } from '../src/helper/add-masks.ts';
import { noise } from '../src/node/compute/bench-kernels.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

/** What hiding the numbers of a site costs: at the site, on the wire, and at the helper. */
export const secure: Section = { name: 'secure', title: 'Two aggregators beside plain', run };

const MOST_BYTES = 200;
const HELPER_SECONDS = 30;

async function run({ quick }: Bench): Promise<readonly Line[]> {
  useNativeCrypto();
  const lines: Line[] = [];
  for (const d of quick ? [20] : [100, 1000]) {
    const rows = quick ? 1_000 : 10_000;
    const plain = siteOf(study(d), rows);
    const hidden = siteOf({ ...study(d), aggregation: terms() }, rows);
    const { ours, theirs } = await inTurn(quick ? 1 : 5, {
      ours: () => seconds(hidden.contribute),
      theirs: () => seconds(plain.contribute),
    });
    const more = hidden.contribute().length - plain.contribute().length;
    lines.push(
      {
        what: `a site: ${rows} rows in memory, d = ${d}, to a signed file`,
        ours: secondsText(ours),
        peer: `plain ${secondsText(theirs)}`,
        ...held(ours / theirs, '≤', 1.2),
      },
      {
        what: `bytes of its file, d = ${d}`,
        ours: String(hidden.contribute().length),
        peer: `plain ${plain.contribute().length}`,
        ratio: `+${more}`,
        goal: `≤ +${MOST_BYTES}`,
        reached: more <= MOST_BYTES,
      },
    );
  }
  return [...lines, await helperLine(quick ? 20 : 1000, quick ? 20 : 1000)];
}

/** The helper adds the masks of many sites. */
async function helperLine(sites: number, d: number): Promise<Line> {
  const { layout } = agreement(study(d));
  const seeds = Array.from({ length: sites }, () => new Uint8Array(randomBytes(32)));
  const begun = performance.now();
  await addMasks(layout, seeds);
  const spent = (performance.now() - begun) / 1000;
  return {
    what: `the helper adds the masks of ${sites} sites, d = ${d}`,
    ours: secondsText(spent),
    goal: `< ${HELPER_SECONDS} s`,
    reached: spent < HELPER_SECONDS,
  };
}

function study(d: number): TableStudy {
  const numbers = { type: 'number', range: [-8, 8] } as const;
  const names = [...Array.from({ length: d }, (_, j) => `x${j + 1}`), 'y'];
  return {
    schema: 'suffice/study@1',
    formula: 'y ~ .',
    codebook: Object.fromEntries(names.map((name) => [name, numbers])),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  };
}

function terms(): TwoAggregators {
  const { publicKey } = loadedKem('x25519').keys(new Uint8Array(32).fill(1));
  const sites = ['north', 'south', 'east', 'west', 'middle'];
  return {
    kind: 'two-aggregators',
    helper: {
      url: 'http://127.0.0.1:7701',
      key: toBase64url(publicKey),
      signingKey: createSigningKey().key,
    },
    roster: Object.fromEntries(sites.map((site) => [site, createSigningKey().key])),
  };
}

/** A site with rows in memory, and the work of one contribution. */
function siteOf(study: TableStudy, rows: number): { contribute(): Uint8Array } {
  const agreed = agreement(study);
  const key = createSigningKey();
  const columns = columnsOf(agreed, rows);
  return {
    contribute() {
      const reducing = reduction(agreed, { file: 'north', missing: 'refuse' });
      reducing.add({ rows, columns }, (r) => r + 1);
      const own = contribution(agreed, 'north', reducing.finish());
      const file = encodeContribution(signContribution(own, key));
      readContribution(agreed, file); // as a site does before it shows the file
      return file;
    },
  };
}

function columnsOf({ columns }: Agreement, rows: number): Float64Array[] {
  return columns.map((_, j) => {
    const next = noise(j + 1);
    return Float64Array.from({ length: rows }, () => next());
  });
}

function seconds(work: () => unknown): number {
  const begun = performance.now();
  work();
  return (performance.now() - begun) / 1000;
}
