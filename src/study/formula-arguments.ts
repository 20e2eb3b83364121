import { numberOf } from './formula-constants.ts';
import type { CallExpression, Expression } from './formula-expression.ts';
import { argumentPlaces, signatureOf } from './formula-signatures.ts';

/** The arguments of a call that was checked, by the names of R's parameters. */
export interface CallArguments {
  /** The argument of a parameter, which must be there. */
  need(name: string): Expression;
  find(name: string): Expression | undefined;
  /** A number; `otherwise` if it is not given. */
  number(name: string, otherwise: number): number;
  /** The arguments behind "...". */
  readonly many: readonly Expression[];
}

export function callArguments(call: CallExpression): CallArguments {
  const signature = signatureOf(call.function);
  if (signature === undefined) throw new RangeError(`${call.function}() is unknown`);
  const places = argumentPlaces(signature, call);
  const find = (name: string): Expression | undefined =>
    call.arguments.find((_, k) => places[k]?.name === name);
  return {
    find,
    need(name) {
      const found = find(name);
      if (found === undefined) throw new RangeError(`${call.function}() has no ${name}`);
      return found;
    },
    number(name, otherwise) {
      const found = find(name);
      return (found && numberOf(found)) ?? otherwise;
    },
    many: call.arguments.filter((_, k) => places[k]?.name === '...'),
  };
}
