import type { Moments } from './site-moments.ts';

/** Factors between units that get mixed up; each is also tried the other way round. */
const factors: readonly (readonly [number, string, string])[] = [
  [2.54, 'centimetres for inches', 'inches for centimetres'],
  [1 / 0.45359237, 'pounds for kilograms', 'kilograms for pounds'],
  [3.280839895, 'feet for metres', 'metres for feet'],
  [1.609344, 'kilometres for miles', 'miles for kilometres'],
  [4.184, 'kilojoules for kilocalories', 'kilocalories for kilojoules'],
  [7.500615758, 'mmHg for kPa', 'kPa for mmHg'],
  [18.0156, 'mg/dl for mmol/l of glucose', 'mmol/l for mg/dl of glucose'],
  [38.67, 'mg/dl for mmol/l of cholesterol', 'mmol/l for mg/dl of cholesterol'],
  [88.42, 'µmol/l for mg/dl of creatinine', 'mg/dl for µmol/l of creatinine'],
  [12, 'months for years', 'years for months'],
  [365.25, 'days for years', 'years for days'],
  [60, 'minutes for hours, or seconds for minutes', 'hours for minutes, or minutes for seconds'],
  [7, 'days for weeks', 'weeks for days'],
  [24, 'hours for days', 'days for hours'],
];

/** The mix-up of units that explains both mean and spread of `own`; undefined if none fits. */
export function unitMistake(own: Moments, typical: Moments, tolerance: number): string | undefined {
  const log = Math.log(own.sd / typical.sd);
  const near = Math.min(0.25, Math.max(0.02, tolerance));
  const meets = (factor: number, offset: number) =>
    Math.abs(log - Math.log(factor)) < near &&
    Math.abs(own.mean - (factor * typical.mean + offset)) < own.sd;
  if (meets(1.8, 32)) return 'Fahrenheit for Celsius';
  if (meets(1 / 1.8, -32 / 1.8)) return 'Celsius for Fahrenheit';
  const tens = Math.round(log / Math.LN10);
  if (tens !== 0 && meets(10 ** tens, 0)) {
    return `a factor of ${tens > 0 ? 10 ** tens : `1/${10 ** -tens}`}`;
  }
  let best: { distance: number; name: string } | undefined;
  for (const [factor, up, down] of factors) {
    for (const [f, name] of [[factor, up] as const, [1 / factor, down] as const]) {
      const distance = Math.abs(log - Math.log(f));
      if (meets(f, 0) && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
        best = { distance, name };
      }
    }
  }
  return best?.name;
}
