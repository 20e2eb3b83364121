/** What a person can choose, by names that stay, and what each choice can be set to. */
export interface Choices {
  // How a file is read.
  readonly encoding: string;
  readonly decimal: '.' | ',';
  readonly 'missing-marker': string;
  readonly missing: 'drop';
  readonly columns: string;
  readonly codebook: string;
  // What is fitted, and with how much noise.
  readonly ridge: number;
  readonly refinements: number;
  /** To go on with an answer that is mostly noise: to make the study, or to fit it. */
  readonly force: 'create' | 'fit';
  /** To make the study of the next round. */
  readonly refine: never;
  // What is predicted, and from which model.
  readonly interval: 'confidence';
  readonly site: string;
  readonly append: never;
  /** Where a model comes from: saved by a fit or a report, or a sealed report alone. */
  readonly model: 'saved' | 'sealed';
  readonly bins: number;
  /** Counts that an evaluation wrote. */
  readonly counts: never;
  // What leaves a site.
  readonly 'insecure-http': never;
  /** Whether a further file adds rows or replaces them. */
  readonly turn: never;
  /** To see what a plain statistic gives away. */
  readonly attack: never;
  readonly contribute: never;
  readonly sequence: number;
  /** To ask how a study stands. */
  readonly status: never;
  readonly study: never;
  readonly 'admin-link': never;
  // How a coordinator runs.
  readonly 'operator-token': never;
  readonly database: never;
  readonly tls: never;
  readonly port: number;
  readonly host: string;
  /** The folder that is written to. */
  readonly out: never;
}

export type OptionName = keyof Choices;

export type OptionOf<Name extends OptionName> = {
  readonly name: Name;
  readonly value?: Choices[Name];
  /** True where the choice is best not made. */
  readonly off?: true;
};

/** The choice that the end of a remedy speaks of; each front end says it in its own way. */
export type Option = { readonly [Name in OptionName]: OptionOf<Name> }[OptionName];
