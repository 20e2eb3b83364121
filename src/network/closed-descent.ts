/**
 * 1 − (1 − x)ᵀ for a whole number T, by doubling: c₂ₜ = cₜ(2 − cₜ) and cₜ₊₁ = cₜ + x(1 − cₜ), which lose no digits for small x.
 * It is the part of the way to the minimiser that T steps of gradient descent go along an eigenvector, with x = rate · eigenvalue.
 */
export function descentPart(x: number, steps: number): number {
  let part = 0;
  for (let bit = 2 ** Math.floor(Math.log2(Math.max(1, steps)) + 1); bit >= 1; bit /= 2) {
    part *= 2 - part;
    if (Math.floor(steps / bit) % 2 === 1) part += x * (1 - part);
  }
  return part;
}

/**
 * What T steps of gradient descent make of one component of the first gradient: (1 − (1 − rate · λ)ᵀ) / λ, and rate · T where λ is
 * not positive.
 */
export function descentFactor(eigenvalue: number, rate: number, steps: number): number {
  return eigenvalue > 0 ? descentPart(rate * eigenvalue, steps) / eigenvalue : rate * steps;
}
