/** What the statements of FedFisher (arXiv 2403.12329) are about; statements about one matter count as one. */
export const fisherMatters = {
  width: 'Error by width',
  steps: 'Error by local steps',
  time: 'Cost of the Fisher information',
  baselines: 'Better than all baselines',
  averaging: 'Better than averaging',
  pretrained: 'From pre-trained weights',
  compression: 'Compression',
  quantiser: 'The best quantiser',
  rounds: 'Several rounds',
  clients: 'More clients',
  inversion: 'Inversion attacks',
} as const;
