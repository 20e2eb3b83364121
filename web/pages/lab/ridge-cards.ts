import type { RidgePlan } from '../../../experiments/ridge/plan.ts';
import { defaultRidgePlan } from '../../../experiments/ridge/plan.ts';
import type { NumberSetting } from './number-setting.ts';

export type RidgeCardName = 'heterogeneity' | 'dropout' | 'privacy' | 'projection';

/** A setting of a card. */
export type RidgeSetting = Exclude<keyof RidgePlan, 'ridge' | 'quick'>;

/** A figure of the ridge paper with its settings. */
export interface RidgeCard {
  /** Value of `--experiment`. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly settings: readonly RidgeSetting[];
  /** Name of the horizontal axis and of the slider. */
  readonly along: string;
  readonly unit?: string;
}

/** The usual values are small, so that the first curve appears within two seconds. */
export const ridgeSettings: Readonly<Record<RidgeSetting, NumberSetting>> = {
  sites: { label: 'Sites', least: 2, most: 100, usual: 10, slides: true },
  rowsPerSite: { label: 'Rows per site', least: 20, most: 2000, usual: 200 },
  features: { label: 'Features', least: 2, most: 200, usual: 20, slides: true },
  heterogeneity: {
    label: 'Heterogeneity γ',
    least: 0,
    most: 1,
    usual: defaultRidgePlan.heterogeneity,
    step: 0.05,
    slides: true,
  },
  trials: { label: 'Trials', least: 1, most: 20, usual: 1 },
  seed: { label: 'Seed', least: 0, most: 999_999_999, usual: defaultRidgePlan.seed },
};

/** The paper's settings, with the present trials and seed. */
export function papersSettings(
  settings: Readonly<Record<RidgeSetting, number>>,
): Readonly<Record<RidgeSetting, number>> {
  const { sites, rowsPerSite, features, heterogeneity } = defaultRidgePlan;
  return { ...settings, sites, rowsPerSite, features, heterogeneity };
}

/** Whether the rows are drawn as in the paper, with any seed. */
export function isPapers(settings: Readonly<Record<RidgeSetting, number>>): boolean {
  return JSON.stringify(papersSettings(settings)) === JSON.stringify(settings);
}

export const ridgeCards: Readonly<Record<RidgeCardName, RidgeCard>> = {
  heterogeneity: {
    id: '2',
    title: 'Sites that differ',
    about:
      'γ moves the sites’ means apart. The exact fusion solves the same equations as all rows in one place, so γ does not change it.',
    settings: ['sites', 'rowsPerSite', 'features', 'trials', 'seed'],
    along: 'γ',
  },
  dropout: {
    id: 'dropout',
    title: 'Sites that do not answer',
    about:
      'Some sites never send. The fusion is then exactly the model of the rows that arrived, and no round is repeated. FedAvg here misses different sites in each round, so over 200 rounds it sees all sites.',
    settings: ['sites', 'rowsPerSite', 'features', 'heterogeneity', 'trials', 'seed'],
    along: 'Sites missing',
    unit: ' %',
  },
  privacy: {
    id: '5',
    title: 'Noise that protects rows',
    about:
      'Error by the privacy budget ε. A small ε protects more and costs more accuracy. The paper’s own accounting is drawn as printed; it is not differentially private.',
    settings: ['sites', 'rowsPerSite', 'features', 'heterogeneity', 'trials', 'seed'],
    along: 'ε',
  },
  projection: {
    id: '7',
    title: 'Fewer columns by random projection',
    about:
      'm random mixtures of the d features are sent instead of all. This helps if few directions carry most of the data, and costs much if all directions matter equally. The paper’s 100 features are run as the 1000 of its Table VII, which takes a while.',
    settings: ['sites', 'rowsPerSite', 'features', 'trials', 'seed'],
    along: 'm',
  },
};

export const ridgeCardNames = Object.keys(ridgeCards) as readonly RidgeCardName[];
