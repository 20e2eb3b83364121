import type { KemName } from '../../src/cipher/kems.ts';
import type { NetworkFusion } from '../../src/fusion/network-terms.ts';
import type { PlacementName } from '../../src/privacy/placement.ts';
import {
  type Codebook,
  type Column,
  defaultMissing,
  SITE_COLUMN,
} from '../../src/study/codebook.ts';
import type { ImageData } from '../../src/study/image-study.ts';
import type { PrivacyTerms, RidgeFusion, RidgeRule, Study } from '../../src/study/study.ts';

/** A study as the form holds it: texts as typed, empty if nothing was typed. */
export interface StudyPlan {
  readonly name: string;
  readonly formula: string;
  /** In place of a formula and columns: the images. */
  readonly images?: PlannedImages;
  /** Source of the columns: the sample, or written by hand. */
  readonly codebook: 'sample' | 'written';
  /** Columns that a person has written or changed, by name. */
  readonly columns: Readonly<Record<string, ColumnPlan>>;
  /** Columns drafted from a removed sample; a new sample replaces them. */
  readonly drafted: Readonly<Record<string, ColumnPlan>>;
  readonly method: MethodPlan;
  readonly weights: string;
  readonly disclosure: 'default' | 'datashield' | 'agency' | 'none';
  readonly privacy: PlannedPrivacy;
  readonly adding: PlannedAdding;
  readonly quorum: string;
  /** ISO 8601, like all times here. */
  readonly deadline: string;
  /** One on each line. */
  readonly sites: string;
  readonly draft: boolean;
  readonly expires: string;
  /** The JSON of a loaded study; removed when the study is changed. */
  readonly loaded?: string;
  /** Parts of a loaded study that the form does not show. */
  readonly more: UnshownTerms;
}

/** The form of the images and their classes. */
export interface PlannedImages extends Omit<ImageData, 'classes' | 'kind'> {
  /** One on each line. */
  readonly classes: string;
}

export interface ColumnPlan {
  readonly type: Column['type'];
  readonly unit: string;
  readonly low: string;
  readonly high: string;
  readonly center: string;
  readonly sd: string;
  readonly decimal: '.' | ',';
  /** One on each line. */
  readonly levels: string;
  readonly baseline: string;
  /** Markers, separated by commas. */
  readonly missing: string;
  readonly emptyIsMissing: boolean;
  readonly scale?: number;
}

/** The fields of all kinds of methods; `method-kinds.ts` says which a kind has. */
export interface MethodPlan {
  /** A kind of the form, or `file` if the study's file sets the method. */
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
  /** Prior for a small site's fit; empty for Firth's correction. */
  readonly prior: string;
  /** Ridge of each site's own regression; empty for none. */
  readonly ownRidge: string;
  /** Whether sites send the covariance of their coefficients. */
  readonly covariance: boolean;
  /** How networks are fused. */
  readonly networkFusion: NetworkFusion['kind'];
  readonly architecture: 'dense' | 'lenet' | 'fednet';
  /** Units of dense layers, with a comma between two. */
  readonly units: string;
  readonly epochs: string;
  readonly trainingRounds: string;
  /** Whether one more contact fits the last layer exactly. */
  readonly repairHead: boolean;
}

export interface PlannedPrivacy {
  readonly kind: 'none' | 'noise';
  readonly epsilon: string;
  readonly delta: string;
  readonly unit: PrivacyTerms['unit'];
  readonly person: string;
  readonly rowsPerPerson: string;
  readonly neighbours: NonNullable<PrivacyTerms['neighbours']>;
  readonly placement: PlacementName;
  readonly protects: NonNullable<PrivacyTerms['protects']>;
  readonly releases: string;
  readonly rounds: string;
  readonly expectedRows: string;
  readonly solver: NonNullable<PrivacyTerms['solver']>;
  /** Create it although the result would be mostly noise. */
  readonly forced: boolean;
}

/** How sums are added: openly, by two parties, by sites that agree on masks, or as a loaded study says. */
export interface PlannedAdding {
  readonly kind: 'openly' | 'two-parties' | 'masks' | 'file';
  /** What the helper says about itself, as JSON. */
  readonly helper: string;
  readonly address: string;
  /** A name and a key on each line. */
  readonly roster: string;
  readonly minimumSites: string;
  /** Groups of sites whose sums are opened one by one. */
  readonly groups: string;
  /** Where sites agree on masks: time of each stage after the one that the deadline ends. */
  readonly stageMinutes: string;
  readonly kem: KemName;
  /** Terms of a loaded study that the form does not show. */
  readonly loaded?: Study['aggregation'];
}

/** Members of the study's JSON that the form does not show. */
export interface UnshownTerms {
  readonly study?: Readonly<Record<string, unknown>>;
  readonly fusion?: Readonly<Record<string, unknown>>;
  readonly privacy?: Readonly<Record<string, unknown>>;
  readonly disclosure?: Readonly<Record<string, unknown>>;
}

export const emptyPlan: StudyPlan = {
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
    networkFusion: 'fisher-diagonal',
    architecture: 'dense',
    units: '64, 32',
    epochs: '',
    trainingRounds: '',
    repairHead: false,
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
  adding: {
    kind: 'openly',
    helper: '',
    address: '',
    roster: '',
    minimumSites: '',
    groups: '',
    stageMinutes: '',
    kem: 'x25519',
  },
  quorum: '',
  deadline: '',
  sites: '',
  draft: false,
  expires: '',
  more: {},
};

/** The form's fields for a column of a codebook. */
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

/** The plan without its sample; the drafted columns stay. */
export function writtenOut(plan: StudyPlan, codebook: Codebook): StudyPlan {
  if (plan.codebook === 'written') return plan;
  const drafted = Object.fromEntries(
    Object.entries(codebook)
      .filter(([name]) => name !== SITE_COLUMN)
      .map(([name, column]) => [name, columnPlanOf(column)]),
  );
  return { ...plan, codebook: 'written', columns: { ...drafted, ...plan.columns }, drafted };
}

/** The plan with a new sample: columns written by hand stay, columns drafted from an earlier sample go. */
export function withSample(plan: StudyPlan): StudyPlan {
  const same = (name: string, column: ColumnPlan) =>
    JSON.stringify(column) === JSON.stringify(plan.drafted[name]);
  const own = Object.entries(plan.columns).filter(([name, column]) => !same(name, column));
  return { ...plan, codebook: 'sample', columns: Object.fromEntries(own), drafted: {} };
}

/** Names in a typed or pasted list: one on each line, or separated by commas, semicolons or tabs. */
export function namesIn(text: string): string[] {
  const separator = text.includes('\n') ? /\r?\n/ : /[,;\t]/;
  return text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The plan of a study of images like those of a sample; neighbouring pixels say nearly the same, so slopes are penalised. */
export function withImages(plan: StudyPlan, { kind: _, classes, ...form }: ImageData): StudyPlan {
  return {
    ...plan,
    images: { ...form, classes: classes.join('\n') },
    method: { ...plan.method, kind: 'ridge', penalty: 'gcv' },
    more: { ...plan.more, study: { ...plan.more.study, evaluation: { bins: 10 } } },
  };
}

/** The plan of a study of a table. */
export function withoutImages({ images, ...plan }: StudyPlan): StudyPlan {
  if (images === undefined) return plan;
  const { evaluation: _, features: __, ...study } = plan.more.study ?? {};
  return { ...plan, more: { ...plan.more, study } };
}
