/** Values that can be added: associative, commutative, with a zero. */
export interface Monoid<T> {
  readonly zero: T;
  add(a: T, b: T): T;
}

/** Values that can also be subtracted: subtract(add(a, b), b) = a. */
export interface Group<T> extends Monoid<T> {
  subtract(a: T, b: T): T;
}
