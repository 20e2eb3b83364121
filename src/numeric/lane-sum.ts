/** The sum as kernels/describe.as.ts adds: value i in lane i mod 4, then what is left of the last four. */
export function laneSum(values: Float64Array): number {
  const whole = values.length - (values.length % 4);
  const lanes = [0, 0, 0, 0];
  for (let i = 0; i < whole; i++) lanes[i % 4]! += values[i]!;
  const sum = lanes[0]! + lanes[2]! + (lanes[1]! + lanes[3]!);
  return values.subarray(whole).reduce((all, value) => all + value, sum);
}
