import type { MethodName } from './contestants.ts';

/** A table's text about a method, with the reason for its results. */
export interface NoisyMethodText {
  readonly method: MethodName;
  readonly label: string;
  readonly why: string;
}

/** In the order of the tables. */
export const methods: readonly NoisyMethodText[] = [
  {
    method: 'cleaner',
    label: '**one-shot, cleaner** (the default)',
    why: 'The noise keeps its promise for rows of any length, so it is larger than the paper’s; the cleaner knows its size and filters what it did to the eigenvalues. What is left with very many rows (1.2 % in the last table) is the clipping of responses at 2.5 standard deviations.',
  },
  {
    method: 'ridge',
    label: 'one-shot, λ = σ + σ_G√(d/2)',
    why: 'The same noisy total, one ridge for all directions: safe, but it shrinks good directions with bad ones.',
  },
  {
    method: 'adassp',
    label: 'one-shot, AdaSSP’s rule',
    why: 'The same noisy total, λ from Wang’s bound, which holds with 95 % and is therefore pessimistic unless noise is small.',
  },
  {
    method: 'local',
    label: 'one-shot, each site adds the noise',
    why: 'Nobody is trusted with an exact total: 20 noises instead of one, √20 = 4.5 times the deviation.',
  },
  {
    method: 'labels',
    label: 'one-shot, only responses hidden',
    why: 'G is exact, but another response may take a response’s place, which moves h by 2·By and not By: at small ε that costs more than an exact G gains.',
  },
  {
    method: 'hybrid-1',
    label: 'hybrid 1+1',
    why: 'One further round of d numbers, in which residuals are half as large and so is the noise.',
  },
  {
    method: 'hybrid-4',
    label: '**hybrid 1+4**',
    why: 'Four further rounds of d numbers each, at the same total price: noise shrinks with the residuals, an error in G̃ only slows the steps down, and nothing stays clipped.',
  },
  {
    method: 'fedavg-central',
    label: 'DP-FedAvg, R = 100, one noise',
    why: 'R rounds with √R times the noise cost the same μ as one (Gaussian composition), so there is no composition penalty; each round releases d numbers and not d².',
  },
  {
    method: 'fedavg-local',
    label: 'DP-FedAvg, R = 100, each site adds the noise',
    why: 'The same with 20 noises a round; at small ε the iterates walk off.',
  },
  {
    method: 'fedavg-central-tuned',
    label: 'DP-FedAvg, one noise, *tuned on test*',
    why: 'Rounds, clip and step chosen by test error for every ε: optimistic, nobody can look for free.',
  },
  {
    method: 'fedavg-local-tuned',
    label: 'DP-FedAvg, each site, *tuned on test*',
    why: 'As above, with 20 noises a round.',
  },
  {
    method: 'as-printed',
    label: 'Algorithm 2 as evidently run, **NOT PRIVATE**',
    why: 'Noise τ/ε at each client as if rows had length 1 while theirs have 10, G and h each as if the other were not released, nothing clipped.',
  },
];
