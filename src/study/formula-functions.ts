/** What to write instead of a function of R: the problem, and the remedy. */
export type FunctionHint = readonly [problem: string, remedy: string];

const powers = 'write the powers: x + I(x^2) + I(x^3)';
const knots = `${powers}; or a bend at a fixed point: x + I((x - 40) * (x > 40))`;
const inFile = 'make it a column of the file';
const named = 'write the name alone: the codebook says what a column is';
const cap = 'a limit at 10 is I(x * (x < 10) + 10 * (x >= 10))';

function notAdditive(name: string): string {
  return `${name}() is not additive over sites`;
}

function unknown(name: string): string {
  return `${name}() is unknown`;
}

/** Functions of R that do not work here, with a hint for each; `factor` of a category has other spellings. */
const hints: ReadonlyMap<string, FunctionHint> = new Map(
  Object.entries({
    poly: [notAdditive('poly'), 'write x + I(x^2): the fitted model is the same'],
    scale: [notAdditive('scale'), 'write x; coefficients can be standardized later'],
    ns: [notAdditive('ns'), knots],
    bs: [notAdditive('bs'), knots],
    s: ['s() is not additive over sites', knots],
    te: [notAdditive('te'), knots],
    lo: [notAdditive('lo'), knots],
    rank: [notAdditive('rank'), inFile],
    mean: [notAdditive('mean'), 'write a number: I(x - 50)'],
    sd: [notAdditive('sd'), 'write a number: I(x / 10)'],
    cut: [
      unknown('cut'),
      'write a term for each limit, I(x > 40) + I(x > 60), or make the bins a category column',
    ],
    findInterval: [unknown('findInterval'), 'write a term for each limit: I(x > 40) + I(x > 60)'],
    relevel: [unknown('relevel'), 'name the "baseline" in the codebook'],
    C: [
      unknown('C'),
      'name the "baseline" in the codebook; other contrasts can be asked of the fit',
    ],
    offset: [
      unknown('offset'),
      'with an identity link, subtract it from the response: I(y - x) ~ …; with a log link there is no way to fix its coefficient at 1, so take it as a term, log(t)',
    ],
    log1p: [unknown('log1p'), 'write log(x + 1)'],
    expm1: [unknown('expm1'), 'write I(exp(x) - 1)'],
    ifelse: [unknown('ifelse'), 'compare inside I(): I(x > 60) is 1 where it holds, else 0'],
    'as.numeric': [unknown('as.numeric'), named],
    'as.integer': [unknown('as.integer'), named],
    'as.character': [unknown('as.character'), 'write factor(x)'],
    ordered: [
      unknown('ordered'),
      'write factor(x); a trend over its levels can be asked of the fit',
    ],
    'as.Date': [
      unknown('as.Date'),
      'make the date a number in the file, such as days since a fixed day',
    ],
    round: [unknown('round'), inFile],
    floor: [unknown('floor'), inFile],
    ceiling: [unknown('ceiling'), inFile],
    trunc: [unknown('trunc'), inFile],
    pmin: [unknown('pmin'), cap],
    pmax: [unknown('pmax'), cap],
    min: [unknown('min'), cap],
    max: [unknown('max'), cap],
    interaction: [unknown('interaction'), 'join the columns with ":", such as a:b'],
    'is.na': [
      unknown('is.na'),
      'rows with missing cells are left out; make it a column of the file',
    ],
    c: [unknown('c'), 'compare with one value at a time: I((x == 1) + (x == 2))'],
    strata: [unknown('strata'), 'write factor(x)'],
    cluster: [unknown('cluster'), 'leave it out; errors can be clustered by site'],
    Surv: [
      unknown('Surv'),
      'survival models are not possible; a count of events can be a response',
    ],
  } satisfies Record<string, FunctionHint>),
);

/** What to write instead of a function of R that does not work here; undefined for any other. */
export function functionHint(name: string): FunctionHint | undefined {
  return hints.get(name);
}
