import { defined } from './defined.ts';
import type { Option } from './option.ts';

/** Why something cannot be done, and what to do about it. All failures in the library have this shape. */
export interface Failure {
  readonly problem: string;
  /** Complete by itself: it names no flag and no button. */
  readonly remedy: string;
  /** Where in the input. */
  readonly place?: Place;
  /** The option to change, for a front end that offers it. */
  readonly option?: Option;
  /** Trying again later may succeed, without any change. */
  readonly later?: boolean;
  /** The numbers of the sites contradict each other; the sites can agree to open theirs. */
  readonly openable?: boolean;
}

/** Where in the input: `row` counts data rows from 1, the header is not one of them. */
export interface Place {
  readonly file?: string;
  readonly row?: number;
  readonly column?: string;
}

/** What must change: the data, the formula, the call, the connection, or the permission. */
export type FailureKind = 'data' | 'formula' | 'usage' | 'network' | 'policy';

/** A failure whose option may be undefined. */
interface FailureParts extends Omit<Failure, 'option'> {
  readonly option?: Option | undefined;
}

/** A failure that is thrown. Its message is the problem, after its place if there is one. */
export class FailureError extends Error implements Failure {
  readonly kind: FailureKind;
  readonly problem: string;
  readonly remedy: string;
  declare readonly place?: Place;
  declare readonly option?: Option;

  constructor(kind: FailureKind, failure: FailureParts, message: string = placed(failure)) {
    super(message);
    this.name = 'FailureError';
    this.kind = kind;
    this.problem = failure.problem;
    this.remedy = failure.remedy;
    if (failure.place !== undefined) this.place = failure.place;
    if (failure.option !== undefined) this.option = failure.option;
  }
}

/** The failure of an error, as plain data. */
export function failureOf({ problem, remedy, place, option }: FailureError): Failure {
  return {
    problem,
    remedy,
    ...defined({ place, option }),
  };
}

/** The problem after its place: `table.csv, row 3, column "x": …`. */
export function placed({ problem, place = {} }: Pick<Failure, 'problem' | 'place'>): string {
  const { file, row, column } = place;
  const parts: string[] = [];
  if (file !== undefined) parts.push(file);
  if (row !== undefined) parts.push(`row ${row}`);
  if (column !== undefined) parts.push(`column "${column}"`);
  return parts.length === 0 ? problem : `${parts.join(', ')}: ${problem}`;
}
