import { type LawName, lawNames } from '../../../experiments/fesc/laws.ts';
import type { FescPlan } from '../../../experiments/fesc/simulation.ts';
import { type NumberSetting, readSetting } from './number-setting.ts';
import {
  type RidgeCardName,
  type RidgeSetting,
  ridgeCardNames,
  ridgeCards,
  ridgeSettings,
} from './ridge-cards.ts';

/** What a person has set on one card of the ridge paper. */
export interface RidgeChoice {
  readonly settings: Readonly<Record<RidgeSetting, number>>;
  /** Where the slider along the curve stands; its start where it was never moved. */
  readonly at?: number;
}

/** Everything that can be set on the page, which is what its address says. */
export interface LabSettings {
  readonly fesc: FescPlan;
  /** Which of the simulation's curves is shown. */
  readonly view: FescView;
  /** The card that was last started. */
  readonly figure?: RidgeCardName;
  readonly ridge: Readonly<Record<RidgeCardName, RidgeChoice>>;
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

/** Whether sizes and rows are drawn as in the paper's Figure 1, by whatever seeds. */
export function isFigureOne({ law, nodes, dimension }: FescPlan): boolean {
  return (
    law === usualLaw &&
    nodes === fescNumbers.nodes.usual &&
    dimension === fescNumbers.dimension.usual
  );
}

/** Reads the part of an address behind `?`. What is not possible is left as usual, and told. */
export function readQuery(query: string): {
  readonly settings: LabSettings;
  readonly problems: readonly string[];
} {
  const given = new URLSearchParams(query);
  const problems: string[] = [];
  const refuse = (name: string, rule: string, taken: string | number) =>
    problems.push(
      `${name}=${shortened(given.get(name)!)} is not possible. ${rule} Taken: ${taken}.`,
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
  if (!known) refuse('law', 'It is none of the thirteen laws.', usualLaw);
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
    refuse('view', `It is none of ${fescViews.map(([name]) => name).join(', ')}.`, 'mse');
  }
  const figure = given.get('figure');
  const shown = ridgeCardNames.find((name) => name === figure);
  if (figure !== null && shown === undefined) {
    refuse('figure', `It is none of ${ridgeCardNames.join(', ')}.`, 'none');
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
      refuse(`${card}.at`, 'A number.', 'the start of the curve');
    }
    return Number.isFinite(at) ? { settings, at } : { settings };
  };
  const ridge = Object.fromEntries(ridgeCardNames.map((name) => [name, choice(name)]));
  return {
    settings: {
      fesc,
      view: view ?? 'mse',
      ...(shown === undefined ? {} : { figure: shown }),
      ridge: ridge as LabSettings['ridge'],
    },
    problems,
  };
}

/** The part of the address that leads to these settings: the simulation in full, of the cards what is not as usual. */
export function queryOf({ fesc, view, figure, ridge }: LabSettings): string {
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
  return `?${query}`;
}

function isLaw(text: string): text is LawName {
  return lawNames.includes(text as LawName);
}

function shortened(text: string): string {
  return text.length > 30 ? `${text.slice(0, 30)}…` : text;
}
