/** The choices a person has, by fixed names, with the values each can take. */
export interface Choices {
  // How a file is read.
  readonly encoding: string;
  readonly decimal: '.' | ',';
  readonly 'missing-marker': string;
  readonly missing: 'drop';
  readonly columns: string;
  readonly codebook: string;
  /** The size that a draft brings images to, such as 32x32. */
  readonly resize: string;
  /** Whether a database computes the sums. */
  readonly pushdown: 'auto' | 'always' | 'never';
  /** The file with the password of a database. */
  readonly 'password-file': never;
  // What is fitted, and with how much noise.
  readonly ridge: number;
  readonly 'site-effects': 'random';
  readonly refinements: number;
  /** Continue although the answer is mostly noise: create the study, or fit it. */
  readonly force: 'create' | 'fit';
  /** Make the study of the next round. */
  readonly refine: never;
  // What is predicted, and from which model.
  readonly interval: 'confidence';
  readonly site: string;
  readonly append: never;
  /** Source of a model: saved by a fit or a report, or a sealed report. */
  readonly model: 'saved' | 'sealed';
  readonly bins: number;
  /** Counts written by an evaluation. */
  readonly counts: never;
  // What leaves a site.
  readonly 'insecure-http': never;
  /** Whether a further file adds rows or replaces them. */
  readonly turn: never;
  /** The warnings of rules that were read, such as R5,R7; or none, where the study has no rules. */
  readonly acknowledge: string;
  /** Write the queries with the facts that the disclosure rules need. */
  readonly facts: never;
  /** See what a plain statistic reveals. */
  readonly attack: never;
  readonly contribute: never;
  readonly sequence: number;
  /** Ask for the state of a study. */
  readonly status: never;
  readonly study: never;
  readonly 'admin-link': never;
  // How a coordinator runs.
  readonly 'operator-token': never;
  readonly database: never;
  readonly tls: never;
  readonly port: number;
  readonly host: string;
  /** The output folder. */
  readonly out: never;
}

/** The names of the options. */
export type OptionName = keyof Choices;

export type OptionOf<Name extends OptionName> = {
  readonly name: Name;
  readonly value?: Choices[Name];
  /** True if the remedy is to drop this choice. */
  readonly off?: true;
};

/** The choice that a remedy refers to; each front end names it in its own way. */
export type Option = { readonly [Name in OptionName]: OptionOf<Name> }[OptionName];
