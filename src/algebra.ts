/** What can be added: associative, commutative, with a zero. */
export interface Monoid<T> {
  readonly zero: T;
  add(a: T, b: T): T;
}

/** What can also be taken away again: subtract(add(a, b), b) = a. */
export interface Group<T> extends Monoid<T> {
  subtract(a: T, b: T): T;
}
