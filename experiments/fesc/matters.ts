/** What the statements of IPOL 2023.440 are about; statements about one matter count as one. */
export const fescMatters = {
  threshold: 'As many rows as nodes',
  means: 'The laws of sizes',
  variance: 'Sizes that vary more',
  sooner: 'FESC’s gain over the plain average',
} as const;
