import type { RidgePlan } from '../../../experiments/ridge/plan.ts';
import { defaultPlan } from '../../../experiments/ridge/plan.ts';
import type { NumberSetting } from './number-setting.ts';

export type RidgeCardName = 'heterogeneity' | 'dropout' | 'privacy' | 'projection';

/** The settings a card has beside the place on its curve. */
export type RidgeSetting = Exclude<keyof RidgePlan, 'ridge' | 'quick'>;

/** A figure of the ridge paper, to be played with. */
export interface RidgeCard {
  /** What `--experiment` takes. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly settings: readonly RidgeSetting[];
  /** What lies along the chart, as the slider is named. */
  readonly along: string;
  readonly unit?: string;
}

/** Usual is so little that the first curve is there within a second or two. */
export const ridgeSettings: Readonly<Record<RidgeSetting, NumberSetting>> = {
  sites: { label: 'Sites', least: 2, most: 100, usual: 10, slides: true },
  rowsPerSite: { label: 'Rows per site', least: 20, most: 2000, usual: 200 },
  features: { label: 'Features', least: 2, most: 200, usual: 20, slides: true },
  heterogeneity: {
    label: 'Heterogeneity γ',
    least: 0,
    most: 1,
    usual: defaultPlan.heterogeneity,
    step: 0.05,
    slides: true,
  },
  trials: { label: 'Trials', least: 1, most: 20, usual: 1 },
  seed: { label: 'Seed', least: 0, most: 999_999_999, usual: defaultPlan.seed },
};

/** What the paper had, with as many trials and the same seed as before. */
export function papersSettings(
  settings: Readonly<Record<RidgeSetting, number>>,
): Readonly<Record<RidgeSetting, number>> {
  const { sites, rowsPerSite, features, heterogeneity } = defaultPlan;
  return { ...settings, sites, rowsPerSite, features, heterogeneity };
}

/** Whether the rows are drawn as in the paper, by whatever seeds. */
export function isPapers(settings: Readonly<Record<RidgeSetting, number>>): boolean {
  return JSON.stringify(papersSettings(settings)) === JSON.stringify(settings);
}

export const ridgeCards: Readonly<Record<RidgeCardName, RidgeCard>> = {
  heterogeneity: {
    id: '2',
    title: 'Sites that differ',
    about:
      'γ moves the sites’ means apart. The exact fusion solves the same equations as one place with all rows, so nothing moves it away.',
    settings: ['sites', 'rowsPerSite', 'features', 'trials', 'seed'],
    along: 'γ',
  },
  dropout: {
    id: 'dropout',
    title: 'Sites that do not answer',
    about:
      'Some sites never send. What is fused is then exactly the model of the rows that came: no round has to be repeated. FedAvg here misses other sites in each round, so that over 200 rounds it has seen all.',
    settings: ['sites', 'rowsPerSite', 'features', 'heterogeneity', 'trials', 'seed'],
    along: 'Sites gone',
    unit: ' %',
  },
  privacy: {
    id: '5',
    title: 'Noise that protects rows',
    about:
      'Error by the privacy budget ε. Small ε protects more and costs more. The paper’s own accounting is drawn as printed; it is not differentially private.',
    settings: ['sites', 'rowsPerSite', 'features', 'heterogeneity', 'trials', 'seed'],
    along: 'ε',
  },
  projection: {
    id: '7',
    title: 'Fewer columns by random projection',
    about:
      'm random mixtures of the d features travel instead of all. That helps where few directions carry the data, and costs much where all matter alike. The paper’s 100 features are run as the 1000 of its Table VII, which takes a while.',
    settings: ['sites', 'rowsPerSite', 'features', 'trials', 'seed'],
    along: 'm',
  },
};

export const ridgeCardNames = Object.keys(ridgeCards) as readonly RidgeCardName[];
