/** Why a function of R does not work here, and what comes closest. */
export type RefusedFunction = readonly [problem: string, remedy: string];

const inFile = 'make it a column of the file';

/** A function that needs all rows at once, which no site has. */
function allRows(name: string, what: string, remedy: string): RefusedFunction {
  return [`${name}() is not additive over sites: it needs ${what}`, remedy];
}

/** A function of other rows than the one it stands in. */
function otherRows(name: string): RefusedFunction {
  return allRows(name, 'the rows in their order', inFile);
}

function notHere(name: string, why: string, remedy: string): RefusedFunction {
  return [`${name}() is not offered: ${why}`, remedy];
}

function oneNumber(name: string, of: string): RefusedFunction {
  const remedy = `write a number that all sites know: ${of}`;
  return allRows(name, 'all rows', remedy);
}

const spline =
  'write a spline with public knots: ns(x, knots = c(40, 60), Boundary.knots = c(20, 80))';
const bins = 'list the breaks: cut(x, c(0, 40, 60, 100))';
const wave = 'make sine and cosine columns of the file';
const date = 'make the date a number in the file, such as days since a fixed day';
const text = 'texts are levels: list them in the codebook, or make another column of the file';
const random = 'leave it out; sites can have effects of their own, fixed or random';
const survival = 'survival models are not possible; a count of events can be a response';

/** Functions of R that a formula cannot call, with the message for each. */
export const refusedFunctions: Readonly<Record<string, RefusedFunction>> = {
  scale: allRows(
    'scale',
    'the mean and the standard deviation of all rows',
    'write x; coefficients can be standardized later, or write numbers: I((x - 50) / 10)',
  ),
  s: allRows('s', 'all rows, for its penalty', spline),
  te: allRows('te', 'all rows, for its penalty', `${spline}; cross two of them with ":"`),
  ti: allRows('ti', 'all rows, for its penalty', `${spline}; cross two of them with ":"`),
  lo: allRows('lo', 'the neighbours of each row', spline),
  loess: allRows('loess', 'the neighbours of each row', spline),
  lowess: allRows('lowess', 'the neighbours of each row', spline),
  rcs: allRows('rcs', 'quantiles of all rows', `${spline}; the fitted curve is of the same kind`),
  pspline: allRows('pspline', 'all rows, for its penalty', spline),
  mSpline: notHere(
    'mSpline',
    'its columns are those of bs() times constants',
    'write bs(x, knots = c(40, 60), Boundary.knots = c(20, 80))',
  ),
  rank: allRows('rank', 'the order of all rows', inFile),
  order: allRows('order', 'the order of all rows', inFile),
  ecdf: allRows('ecdf', 'the order of all rows', inFile),
  ntile: allRows('ntile', 'quantiles of all rows', bins),
  cut2: allRows('cut2', 'quantiles of all rows', bins),
  cut_number: allRows('cut_number', 'quantiles of all rows', bins),
  quantile: allRows(
    'quantile',
    'the order of all rows',
    'write numbers that all sites know: c(40, 60)',
  ),
  findInterval: notHere(
    'findInterval',
    'it gives the number of an interval',
    `${bins}; or write I((x >= 40) + (x >= 60)), which is that number`,
  ),
  mean: oneNumber('mean', 'I(x - 50)'),
  median: oneNumber('median', 'I(x > 50)'),
  sd: oneNumber('sd', 'I(x / 10)'),
  var: oneNumber('var', 'I(x / 10)'),
  sum: oneNumber('sum', 'I(x / 1000)'),
  min: allRows('min', 'all rows', 'the smaller of two values in each row is pmin(x, 10)'),
  max: allRows('max', 'all rows', 'the larger of two values in each row is pmax(x, 10)'),
  range: oneNumber('range', 'I((x - 20) / 60)'),
  cumsum: otherRows('cumsum'),
  cumprod: otherRows('cumprod'),
  lag: otherRows('lag'),
  lead: otherRows('lead'),
  diff: otherRows('diff'),
  ave: allRows('ave', 'all rows of a group', inFile),
  rowSums: notHere('rowSums', 'it takes a table', 'write the sum: I(a + b + c)'),
  rowMeans: notHere('rowMeans', 'it takes a table', 'write the mean: I((a + b + c) / 3)'),
  sin: notHere('sin', 'engines round it differently, and sites must agree to the last bit', wave),
  cos: notHere('cos', 'engines round it differently, and sites must agree to the last bit', wave),
  tan: notHere('tan', 'engines round it differently, and sites must agree to the last bit', wave),
  tanh: notHere('tanh', 'it is made of exp()', 'write I(1 - 2 / (exp(2 * x) + 1))'),
  plogis: notHere('plogis', 'it is made of exp()', 'write I(1 / (1 + exp(-x)))'),
  qlogis: notHere('qlogis', 'it is made of log()', 'write I(log(x / (1 - x)))'),
  pnorm: notHere(
    'pnorm',
    'engines round it differently, and sites must agree to the last bit',
    inFile,
  ),
  sign: notHere('sign', 'it is made of comparisons', 'write I((x > 0) - (x < 0))'),
  signif: notHere('signif', 'it rounds to digits, not to decimals', 'write round(x, 1)'),
  'as.character': notHere(
    'as.character',
    'a category is not made of characters',
    'write factor(x)',
  ),
  'as.logical': notHere('as.logical', 'a comparison says it', 'write I(x != 0)'),
  'as.Date': notHere('as.Date', 'a file says how its dates are written, a formula cannot', date),
  months: notHere('months', 'it reads a date', date),
  weekdays: notHere('weekdays', 'it reads a date', date),
  year: notHere('year', 'it reads a date', date),
  difftime: notHere('difftime', 'it reads dates', `${date}; then subtract: I(end - start)`),
  paste: notHere('paste', 'a formula makes no texts', 'interaction(a, b) is the category of both'),
  paste0: notHere(
    'paste0',
    'a formula makes no texts',
    'interaction(a, b) is the category of both',
  ),
  substr: notHere('substr', 'a formula makes no texts', text),
  nchar: notHere('nchar', 'a formula reads no texts', text),
  grepl: notHere('grepl', 'a formula reads no texts', 'name the levels: I(x %in% c("a", "b"))'),
  'is.na': notHere('is.na', 'rows with missing cells are left out before', inFile),
  case_when: notHere(
    'case_when',
    'it is written otherwise in R itself',
    'write ifelse(x < 40, 1, ifelse(x < 60, 2, 3))',
  ),
  recode: notHere(
    'recode',
    'the codebook has the levels',
    'factor(x, levels = c("a", "b"), labels = c("A", "B")) gives them other names',
  ),
  droplevels: notHere(
    'droplevels',
    'no site knows which levels others have',
    'take the level out of the codebook',
  ),
  fct_relevel: notHere(
    'fct_relevel',
    'R itself has a function for it',
    'write relevel(x, ref = "b")',
  ),
  fct_lump: allRows('fct_lump', 'how often each level occurs', 'merge rare levels in the codebook'),
  nlevels: notHere('nlevels', 'it is one number for all rows', 'write the number'),
  strata: notHere(
    'strata',
    'no model here has strata',
    'write factor(x): each stratum has a constant of its own',
  ),
  cluster: notHere('cluster', 'it is no term', 'leave it out; errors can be clustered by site'),
  Error: notHere('Error', 'no model here has error strata', random),
  lme: notHere('lme', 'it is a model, not a term', random),
  re: notHere('re', 'random effects are not part of a formula', random),
  random: notHere('random', 'random effects are not part of a formula', random),
  weights: notHere(
    'weights',
    'weights are not part of a formula',
    'name the column of weights beside the formula',
  ),
  Surv: notHere('Surv', 'it is a time and an event', survival),
  frailty: notHere('frailty', 'it belongs to survival models', survival),
  AsIs: notHere('AsIs', 'R calls it I()', 'write I(x)'),
  identity: notHere('identity', 'it changes nothing', 'write x'),
};

/** Why a function of R cannot be called; undefined for any other name. */
export function refusedFunction(name: string): RefusedFunction | undefined {
  return Object.hasOwn(refusedFunctions, name) ? refusedFunctions[name] : undefined;
}
