export type { Group, Monoid } from './algebra.ts';
