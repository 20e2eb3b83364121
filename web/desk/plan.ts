import {
  type Codebook,
  type Column,
  defaultMissing,
  SITE_COLUMN,
} from '../../src/study/codebook.ts';
import type { PrivacyTerms, RidgeFusion, RidgeRule } from '../../src/study/study.ts';

/** A study as a form holds it: texts as they were typed, empty where nothing was. */
export interface Plan {
  readonly name: string;
  readonly formula: string;
  /** Where columns come from that nobody has written: the sample, or nowhere. */
  readonly codebook: 'sample' | 'written';
  /** Columns that a person has written or changed, by name. */
  readonly columns: Readonly<Record<string, ColumnPlan>>;
  /** Columns as they were drafted from a sample that is gone: another sample may draft them anew. */
  readonly drafted: Readonly<Record<string, ColumnPlan>>;
  readonly method: MethodPlan;
  readonly weights: string;
  readonly disclosure: 'default' | 'datashield' | 'agency' | 'none';
  readonly privacy: PrivacyPlan;
  readonly quorum: string;
  /** ISO 8601, as all times here. */
  readonly deadline: string;
  /** One a line. */
  readonly sites: string;
  readonly draft: boolean;
  readonly expires: string;
  /** The JSON this plan was read from, as long as nothing of the study was changed. */
  readonly loaded?: string;
  /** What a loaded study says that the form does not show. */
  readonly more: UnshownTerms;
}

export interface ColumnPlan {
  readonly type: Column['type'];
  readonly unit: string;
  readonly low: string;
  readonly high: string;
  readonly center: string;
  readonly sd: string;
  readonly decimal: '.' | ',';
  /** One a line. */
  readonly levels: string;
  readonly baseline: string;
  /** Markers between commas. */
  readonly missing: string;
  readonly emptyIsMissing: boolean;
  readonly scale?: number;
}

/** The fields of all kinds of methods; `method-kinds.ts` says which a kind has. */
export interface MethodPlan {
  /** One of the kinds that the form offers; else the study's file has set the method. */
  readonly kind: string;
  readonly penalty: 'value' | RidgeRule;
  readonly ridge: string;
  readonly lasso: 'value' | 'leave-one-site-out';
  readonly lambda: string;
  readonly mix: string;
  readonly standardize: boolean;
  readonly folds: string;
  readonly oneStandardError: boolean;
  readonly siteEffects: 'none' | NonNullable<RidgeFusion['siteEffects']>;
  readonly clustered: boolean;
  /** Of a small site's fit; empty for Firth's. */
  readonly prior: string;
  /** Of each site's own regression; empty for none. */
  readonly ownRidge: string;
  /** Whether sites add the covariance of their own coefficients. */
  readonly covariance: boolean;
}

export interface PrivacyPlan {
  readonly kind: 'none' | 'noise';
  readonly epsilon: string;
  readonly delta: string;
  readonly unit: PrivacyTerms['unit'];
  readonly person: string;
  readonly rowsPerPerson: string;
  readonly neighbours: NonNullable<PrivacyTerms['neighbours']>;
  readonly placement: NonNullable<PrivacyTerms['placement']>;
  readonly protects: NonNullable<PrivacyTerms['protects']>;
  readonly releases: string;
  readonly rounds: string;
  readonly expectedRows: string;
  readonly solver: NonNullable<PrivacyTerms['solver']>;
  /** Create it although noise would drown the answer. */
  readonly forced: boolean;
}

/** Members of a study, of its fusion, privacy and disclosure, as they stood in the JSON. */
export interface UnshownTerms {
  readonly study?: Readonly<Record<string, unknown>>;
  readonly fusion?: Readonly<Record<string, unknown>>;
  readonly privacy?: Readonly<Record<string, unknown>>;
  readonly disclosure?: Readonly<Record<string, unknown>>;
}

export const emptyPlan: Plan = {
  name: '',
  formula: '',
  codebook: 'written',
  columns: {},
  drafted: {},
  method: {
    kind: 'least-squares',
    penalty: 'gcv',
    ridge: '1',
    lasso: 'leave-one-site-out',
    lambda: '0.1',
    mix: '',
    standardize: false,
    folds: '',
    oneStandardError: false,
    siteEffects: 'none',
    clustered: false,
    prior: '',
    ownRidge: '',
    covariance: false,
  },
  weights: '',
  disclosure: 'default',
  privacy: {
    kind: 'none',
    epsilon: '1',
    delta: '1e-5',
    unit: 'row',
    person: '',
    rowsPerPerson: '1',
    neighbours: 'add-remove',
    placement: 'central',
    protects: 'rows',
    releases: '',
    rounds: '',
    expectedRows: '',
    solver: 'cleaner',
    forced: false,
  },
  quorum: '',
  deadline: '',
  sites: '',
  draft: false,
  expires: '',
  more: {},
};

/** A column of a codebook as the form holds it. */
export function columnPlanOf(column: Column): ColumnPlan {
  const number = column.type === 'number' ? column : undefined;
  const missing = column.missing ?? defaultMissing;
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    type: column.type,
    unit: number?.unit ?? '',
    low: text(number?.range?.[0]),
    high: text(number?.range?.[1]),
    center: text(number?.center),
    sd: text(number?.sd),
    decimal: number?.decimal ?? '.',
    levels: (column.levels ?? []).join('\n'),
    baseline: column.type === 'category' ? (column.baseline ?? '') : '',
    missing: missing.filter((marker) => marker !== '').join(', '),
    emptyIsMissing: missing.includes(''),
    ...(number?.scale === undefined ? {} : { scale: number.scale }),
  };
}

/** The plan without its sample: what was drafted stays, written out. */
export function writtenOut(plan: Plan, codebook: Codebook): Plan {
  if (plan.codebook === 'written') return plan;
  const drafted = Object.fromEntries(
    Object.entries(codebook)
      .filter(([name]) => name !== SITE_COLUMN)
      .map(([name, column]) => [name, columnPlanOf(column)]),
  );
  return { ...plan, codebook: 'written', columns: { ...drafted, ...plan.columns }, drafted };
}

/** The plan with a sample: what a person wrote stays, what another sample drafted does not. */
export function withSample(plan: Plan): Plan {
  const same = (name: string, column: ColumnPlan) =>
    JSON.stringify(column) === JSON.stringify(plan.drafted[name]);
  const own = Object.entries(plan.columns).filter(([name, column]) => !same(name, column));
  return { ...plan, codebook: 'sample', columns: Object.fromEntries(own), drafted: {} };
}

/** Names of a list that was typed or pasted: one a line, or between commas or semicolons on one line. */
export function namesIn(text: string): string[] {
  const separator = text.includes('\n') ? /\r?\n/ : /[,;\t]/;
  return text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
