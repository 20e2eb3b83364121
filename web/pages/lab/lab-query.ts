import { type LawName, lawNames } from '../../../experiments/fesc/laws.ts';
import type { FescPlan } from '../../../experiments/fesc/simulation.ts';
import type { DigitPlan } from '../../../experiments/fisher/digit-trial.ts';
import { defined } from '../../../src/defined.ts';
import { digitSettingNames, digitSettings } from './digit-settings.ts';
import { type NumberSetting, readSetting } from './number-setting.ts';
import {
  type RidgeCardName,
  type RidgeSetting,
  ridgeCardNames,
  ridgeCards,
  ridgeSettings,
} from './ridge-cards.ts';

/** The settings of one card of the ridge paper. */
export interface RidgeChoice {
  readonly settings: Readonly<Record<RidgeSetting, number>>;
  /** Position of the slider along the curve; absent if it was never moved. */
  readonly at?: number;
}

/** All settings of the page; they are in its address. */
export interface LabSettings {
  readonly fesc: FescPlan;
  /** Which of the simulation's curves is shown. */
  readonly view: FescView;
  /** The card that was last started. */
  readonly figure?: RidgeCardName;
  readonly ridge: Readonly<Record<RidgeCardName, RidgeChoice>>;
  readonly digits: DigitPlan;
}

export type FescView = (typeof fescViews)[number][0];

/** The curves of the simulation, by the ids of their figures. */
export const fescViews = [
  ['mse', 'Error'],
  ['ratio', 'Times the exact error'],
  ['runs', 'Run by run'],
] as const;

type FescNumber = Exclude<keyof FescPlan, 'law'>;

export const fescNumbers: Readonly<Record<FescNumber, NumberSetting>> = {
  nodes: { label: 'Sites m', least: 2, most: 300, usual: 100, slides: true },
  dimension: { label: 'Dimension d', least: 1, most: 100, usual: 10, slides: true },
  runs: { label: 'Runs', least: 1, most: 5000, usual: 200 },
  seed: { label: 'Seed', least: 0, most: 999_999_999, usual: 1 },
};

const usualLaw: LawName = 'lognormal-low';

/** Whether sizes and rows are drawn as in the paper's Figure 1, with any seed. */
export function isFigureOne({ law, nodes, dimension }: FescPlan): boolean {
  return (
    law === usualLaw &&
    nodes === fescNumbers.nodes.usual &&
    dimension === fescNumbers.dimension.usual
  );
}

/** Reads the part of an address after `?`. An impossible setting gets its usual value and a problem. */
export function readQuery(query: string): {
  readonly settings: LabSettings;
  readonly problems: readonly string[];
} {
  const given = new URLSearchParams(query);
  const problems: string[] = [];
  const refuse = (name: string, rule: string, taken: string | number) =>
    problems.push(
      `${name}=${shortened(given.get(name)!)} is not possible. ${rule} Used instead: ${taken}.`,
    );
  const number = (name: string, setting: NumberSetting): number => {
    const text = given.get(name);
    if (text === null) return setting.usual;
    const read = readSetting(text, setting);
    if ('value' in read) return read.value;
    refuse(name, read.problem, setting.usual);
    return setting.usual;
  };
  const law = given.get('law') ?? usualLaw;
  const known = isLaw(law);
  if (!known) refuse('law', 'It must be one of the thirteen laws.', usualLaw);
  const fesc: FescPlan = {
    law: known ? law : usualLaw,
    nodes: number('nodes', fescNumbers.nodes),
    dimension: number('dimension', fescNumbers.dimension),
    runs: number('runs', fescNumbers.runs),
    seed: number('seed', fescNumbers.seed),
  };
  const asked = given.get('view') ?? 'mse';
  const view = fescViews.find(([name]) => name === asked)?.[0];
  if (view === undefined) {
    refuse('view', `It must be one of ${fescViews.map(([name]) => name).join(', ')}.`, 'mse');
  }
  const figure = given.get('figure');
  const shown = ridgeCardNames.find((name) => name === figure);
  if (figure !== null && shown === undefined) {
    refuse('figure', `It must be one of ${ridgeCardNames.join(', ')}.`, 'none');
  }
  const choice = (card: RidgeCardName): RidgeChoice => {
    const settings = Object.fromEntries(
      Object.entries(ridgeSettings).map(([key, setting]) => [
        key,
        ridgeCards[card].settings.includes(key as RidgeSetting)
          ? number(`${card}.${key}`, setting)
          : setting.usual,
      ]),
    ) as Record<RidgeSetting, number>;
    const at = Number(given.get(`${card}.at`) ?? Number.NaN);
    if (given.has(`${card}.at`) && !Number.isFinite(at)) {
      refuse(`${card}.at`, 'It must be a number.', 'the start of the curve');
    }
    return Number.isFinite(at) ? { settings, at } : { settings };
  };
  const ridge = Object.fromEntries(ridgeCardNames.map((name) => [name, choice(name)]));
  const digits = Object.fromEntries(
    digitSettingNames.map((key) => [key, number(`digits.${key}`, digitSettings[key])]),
  );
  return {
    settings: {
      fesc,
      view: view ?? 'mse',
      ...defined({ figure: shown }),
      ridge: ridge as LabSettings['ridge'],
      digits: digits as unknown as DigitPlan,
    },
    problems,
  };
}

/** The part of the address for these settings: all of the simulation, and the unusual settings of the cards. */
export function queryOf({ fesc, view, figure, ridge, digits }: LabSettings): string {
  const query = new URLSearchParams(
    Object.entries(fesc).map(([key, value]) => [key, String(value)]),
  );
  if (view !== 'mse') query.set('view', view);
  if (figure !== undefined) query.set('figure', figure);
  for (const name of ridgeCardNames) {
    const { settings, at } = ridge[name];
    for (const key of ridgeCards[name].settings) {
      if (settings[key] !== ridgeSettings[key].usual)
        query.set(`${name}.${key}`, String(settings[key]));
    }
    if (at !== undefined) query.set(`${name}.at`, String(at));
  }
  for (const key of digitSettingNames) {
    if (digits[key] !== digitSettings[key].usual) query.set(`digits.${key}`, String(digits[key]));
  }
  return `?${query}`;
}

function isLaw(text: string): text is LawName {
  return lawNames.includes(text as LawName);
}

function shortened(text: string): string {
  return text.length > 30 ? `${text.slice(0, 30)}…` : text;
}
