// π/2 in three parts; the first two have 26 bits, so that their products with whole numbers below 2²⁶ are exact.
const HALF_PI_1 = 1.5707963109016418;
const HALF_PI_2 = 1.5893254712295857e-8;
const HALF_PI_3 = 6.123233995736766e-17;
const QUARTERS = 0.6366197723675814;
const WHOLE = 6755399441055744;

/** The largest angle that has a cosine here: beyond it too little of an angle's fraction is left. */
export const LARGEST_ANGLE: number = 2 ** 26;

/**
 * [cos, sin] of an angle in radians with the same bits on every engine; the standard does not fix those of Math.cos. Both are
 * within 2⁻⁵² of the truth, and NaN beyond `LARGEST_ANGLE`. The twin of the kernel `fillCosines`.
 */
export function cosineAndSine(angle: number): readonly [number, number] {
  if (!(Math.abs(angle) <= LARGEST_ANGLE)) return [Number.NaN, Number.NaN];
  const turns = angle * QUARTERS + WHOLE - WHOLE;
  const x = angle - turns * HALF_PI_1 - turns * HALF_PI_2 - turns * HALF_PI_3;
  const z = x * x;
  const s =
    -0.16666666666666632 +
    z *
      (0.00833333333332249 +
        z *
          (-0.0001984126982985795 +
            z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10))));
  const sine = x + z * x * s;
  const c =
    0.0416666666666666 +
    z *
      (-0.001388888888887411 +
        z *
          (2.480158728947673e-5 +
            z *
              (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11))));
  const half = 0.5 * z;
  const top = 1 - half;
  const cosine = top + (1 - top - half + z * z * c);
  switch (turns & 3) {
    case 0:
      return [cosine, sine];
    case 1:
      return [-sine, cosine];
    case 2:
      return [-cosine, -sine];
    default:
      return [sine, -cosine];
  }
}
