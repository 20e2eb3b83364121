import type { factsCollector as Facts } from '../src/disclosure/facts-collector.ts';
import type { tagger as Tagger } from '../src/disclosure/row-tags.ts';
import type {
  agreement as Agreement,
  reduction as Reduction,
  regressionOf as Regression,
} from '../src/federate.ts';
import type { discreteGaussian as Gaussian } from '../src/privacy/discrete-gaussian.ts';
import type { secureWords as Words } from '../src/random/secure-words.ts';
import type { RowWatcher } from '../src/statistic/cross-product.ts';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { type Line, secondsText, timesText } from './table.ts';

/** The cost of protecting rows, compared with the plain reduction. Uses the built files, because a transpiler's helpers would slow the sampler. */
export const privacy: Section = {
  name: 'privacy',
  title: 'Noise, private rows, the audit; peers are our own exact reduction of the same rows',
  run,
};

const built = (path: string) => import(new URL(`../dist/${path}`, import.meta.url).href);

async function run({ quick }: Bench): Promise<readonly Line[]> {
  const rows = quick ? 20_000 : 500_000;
  return [...(await sampling(quick ? 20_000 : 500_000)), ...(await reducing(rows, quick ? 2 : 3))];
}

async function sampling(draws: number): Promise<Line[]> {
  const { discreteGaussian } = (await built('privacy/discrete-gaussian.js')) as {
    discreteGaussian: typeof Gaussian;
  };
  const { secureWords } = (await built('random/secure-words.js')) as { secureWords: typeof Words };
  return [33, 60].map((bits) => {
    const draw = discreteGaussian((1n << BigInt(2 * bits)) + 12345n, secureWords());
    const start = performance.now();
    for (let k = 0; k < draws; k++) draw();
    const rate = (1000 * draws) / (performance.now() - start);
    return {
      what: `exact discrete Gaussian, σ = 2^${bits}, secure words`,
      ours: `${Math.round(rate).toLocaleString('en')} draws/s`,
      goal: '≥ 40,000 draws/s',
      reached: rate >= 40_000,
    };
  });
}

async function reducing(rows: number, rounds: number): Promise<Line[]> {
  const { agreement, reduction, regressionOf } = (await built('federate.js')) as {
    readonly regressionOf: typeof Regression;
    agreement: typeof Agreement;
    reduction: typeof Reduction;
  };
  const { factsCollector } = (await built('disclosure/facts-collector.js')) as {
    factsCollector: typeof Facts;
  };
  const { tagger } = (await built('disclosure/row-tags.js')) as { tagger: typeof Tagger };
  const lines: Line[] = [];
  for (const features of [20, 50]) {
    const plain = agreement(studyOf(features));
    const noisy = agreement(studyOf(features, { epsilon: 1, delta: 1e-5, unit: 'row' }));
    const columns = plain.columns.map((_, j) => columnOf(j, BLOCK));
    const reduce = (agreed: typeof plain, watchRows?: RowWatcher) => () => {
      const one = reduction(agreed, {
        file: 'rows',
        missing: 'drop',
        ...(watchRows && { watchRows }),
      });
      const start = performance.now();
      for (let from = 0; from < rows; from += BLOCK) one.add({ rows: BLOCK, columns }, (r) => r);
      one.finish();
      return (performance.now() - start) / 1000;
    };
    const best = await inTurn(rounds, {
      plain: reduce(plain),
      noisy: reduce(noisy),
      audited: () => {
        const facts = factsCollector(regressionOf(plain).layout, regressionOf(plain).design.terms);
        const tags = tagger(new Uint32Array([1, 2, 3, 4]));
        return reduce(plain, (count, seen, indexOf) => {
          facts.add(count, seen);
          tags.add(count, columns, indexOf);
        })();
      },
    });
    const shape = `${rows.toLocaleString('en')} × ${features}`;
    const line = (what: string, ours: number): Line => ({
      what: `${what}, ${shape}`,
      ours: secondsText(ours),
      peer: `exact ${secondsText(best.plain)}`,
      ratio: timesText(best.plain / ours),
    });
    lines.push(
      line('private rows', best.noisy),
      line('with facts for the audit and tags', best.audited),
    );
  }
  return lines;
}

const BLOCK = 4096;

function columnOf(j: number, rows: number): Float64Array {
  return Float64Array.from({ length: rows }, (_, r) =>
    j % 5 === 4 ? Number((r * 31 + j) % 3 === 0) : ((r * 7919 + j * 104729) % 9973) / 997,
  );
}

function studyOf(features: number, terms?: PrivacyTerms): TableStudy {
  const names = Array.from({ length: features }, (_, j) => `x${j}`);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.join(' + ')}`,
    codebook: Object.fromEntries(
      ['y', ...names].map((name) => [name, { type: 'number', range: [0, 16] } as const]),
    ),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    ...(terms === undefined ? {} : { privacy: terms }),
  };
}
