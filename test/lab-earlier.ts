import { writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fescExperiment } from '../experiments/fesc/simulation.ts';
import type { ResultFigure } from '../experiments/paper-result.ts';
import { ridgeExperiments } from '../experiments/ridge/experiments.ts';
import { defaultRidgePlan } from '../experiments/ridge/plan.ts';
import type { EarlierResults } from '../web/pages/lab/earlier-results.ts';
import { readQuery } from '../web/pages/lab/lab-query.ts';
import { type RidgeCardName, ridgeCardNames, ridgeCards } from '../web/pages/lab/ridge-cards.ts';

/** What the lab shows before Start is pressed is kept here. */
export const earlierFile = fileURLToPath(new URL('../web/pages/lab/earlier.json', import.meta.url));

/** The figures of a card of the ridge paper with the usual settings, as the file has them. */
export function earlierRidge(name: RidgeCardName): readonly ResultFigure[] {
  const { settings } = readQuery('').settings.ridge[name];
  const plan = { ...defaultRidgePlan, ...settings };
  return brief(ended(ridgeExperiments[ridgeCards[name].id].run(plan)).figures.slice(0, 1));
}

function earlierFesc(): readonly ResultFigure[] {
  const wanted = ['mse', 'ratio', 'histogram'];
  const { figures } = ended(fescExperiment(readQuery('').settings.fesc));
  return brief(figures.filter(({ id }) => wanted.includes(id)));
}

/** The result of an experiment, without its steps. */
export function ended<Result>(experiment: Generator<unknown, Result, void>): Result {
  for (;;) {
    const { done, value } = experiment.next();
    if (done === true) return value;
  }
}

/** Five digits are enough for a picture. */
function brief(figures: readonly ResultFigure[]): readonly ResultFigure[] {
  const five = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  return JSON.parse(JSON.stringify(figures, five));
}

// `npx tsx test/lab-earlier.ts && npm run fix` measures them again.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const results: EarlierResults = {
    date: new Date().toISOString().slice(0, 10),
    fesc: earlierFesc(),
    ridge: Object.fromEntries(
      ridgeCardNames.map((name) => [name, earlierRidge(name)]),
    ) as EarlierResults['ridge'],
  };
  writeFileSync(earlierFile, `${JSON.stringify(results)}\n`);
}
