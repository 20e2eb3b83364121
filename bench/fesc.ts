import { defaultSimulationPlan, fescExperiment } from '../experiments/fesc/simulation.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

/** The FESC paper's complete default experiment, with its tables and figures. */
export const fesc: Section = {
  name: 'fesc',
  title:
    'FESC: the whole default experiment; the peer runs Algorithm 2 with scikit-learn’s Ridge at every node',
  run,
};

async function run({ peer, quick, note }: Bench): Promise<readonly Line[]> {
  const sklearn = peer?.versions.sklearn ? peer : undefined;
  if (sklearn === undefined) note('no scikit-learn here: fesc has no peer');
  const plan = { ...defaultSimulationPlan, runs: quick ? 20 : defaultSimulationPlan.runs };
  // The peer's time is proportional to its runs: each is drawn and fitted from scratch.
  const peerRuns = plan.runs / 10;
  const best = await inTurn(quick ? 1 : 3, {
    ours: () => {
      const start = performance.now();
      for (const _ of fescExperiment(plan));
      return (performance.now() - start) / 1000;
    },
    sklearn: async () =>
      (await sklearn?.ask({ do: 'fesc', runs: peerRuns, seconds: 0 })) ?? Number.NaN,
  });
  const whole = (best.sklearn * plan.runs) / peerRuns;
  return [
    {
      what: `${plan.runs} runs of 11 γ, ${plan.nodes} nodes, d = ${plan.dimension}, one thread`,
      ours: secondsText(best.ours),
      peer:
        sklearn === undefined
          ? 'scikit-learn: missing'
          : `scikit-learn ${secondsText(whole)} (${peerRuns} runs measured, times ${plan.runs / peerRuns})`,
      ...held(sklearn === undefined ? undefined : whole / best.ours, '≥', 20),
    },
  ];
}
