/** A value as FedFisher prints it: mean ± standard deviation over its seeds, in %. */
export type Printed = string;

const columns = [
  'FedAvg',
  'OTFusion',
  'PFNM',
  'RegMean',
  'DENSE',
  'FisherMerge',
  'FedFisher (Diag)',
  'FedFisher (K-FAC)',
] as const;

export type PrintedMethod = (typeof columns)[number];

/** The methods of Table 2, in its order. */
export const printedMethods: readonly PrintedMethod[] = columns;

function byMethod(
  line: string,
  methods: readonly PrintedMethod[] = columns,
): Partial<Record<PrintedMethod, Printed>> {
  return Object.fromEntries(line.split(' ').map((value, k) => [methods[k]!, value]));
}

type PrintedRows = Readonly<Record<string, Partial<Record<PrintedMethod, Printed>>>>;

/** Table 2: test accuracy with five clients, by α. */
export const printedTableTwo: Readonly<Record<string, PrintedRows>> = {
  'Fashion-MNIST': {
    '0.2': byMethod(
      '59.11±3.82 58.40±4.95 63.50±3.07 71.09±2.19 72.69±1.99 61.81±3.98 65.44±3.04 76.28±2.56',
    ),
    '0.1': byMethod(
      '41.72±4.54 43.77±2.03 59.27±3.19 56.98±4.08 50.11±4.99 54.71±4.96 55.04±4.15 68.36±3.44',
    ),
    '0.05': byMethod(
      '36.02±2.77 37.53±1.20 45.69±5.32 50.40±2.69 46.62±3.21 43.03±5.51 45.92±6.13 53.29±4.17',
    ),
  },
  SVHN: {
    '0.2': byMethod(
      '63.39±2.27 68.05±0.98 69.11±1.35 74.04±1.20 77.73±2.07 65.42±3.72 68.68±3.42 75.92±1.16',
    ),
    '0.1': byMethod(
      '39.42±2.52 52.34±0.18 53.19±4.18 64.16±3.51 56.31±2.17 64.06±2.86 64.20±3.08 69.09±2.81',
    ),
    '0.05': byMethod(
      '27.03±0.71 37.24±0.88 45.62±3.55 55.83±4.44 49.16±1.63 49.32±2.83 51.48±2.91 57.41±3.79',
    ),
  },
  'CIFAR-10': {
    '0.2': byMethod(
      '41.77±0.79 40.35±1.96 45.75±0.58 43.41±1.56 44.79±1.04 39.90±3.21 44.04±2.10 51.67±1.03',
    ),
    '0.1': byMethod(
      '36.43±2.51 40.45±0.96 39.43±1.80 36.65±1.29 38.65±2.67 36.53±2.74 40.04±1.35 47.01±1.87',
    ),
    '0.05': byMethod(
      '29.75±1.32 30.62±1.20 30.58±3.65 32.84±1.39 32.65±2.35 30.89±1.11 31.08±1.52 40.02±3.64',
    ),
  },
  'CINIC-10': {
    '0.2': byMethod(
      '37.15±0.87 36.88±1.44 39.94±0.60 36.19±1.07 35.64±1.22 37.01±4.07 41.88±2.53 43.45±0.54',
    ),
    '0.1': byMethod(
      '32.43±1.57 34.92±1.68 35.86±1.65 31.54±0.67 30.89±1.44 32.91±2.44 37.68±2.21 39.16±1.19',
    ),
    '0.05': byMethod(
      '27.58±0.76 26.39±0.35 29.04±1.26 28.14±0.79 28.13±1.10 29.77±1.05 31.72±1.48 32.90±2.60',
    ),
  },
};

const pretrained = columns.filter((name) => name !== 'PFNM');

/** Table 3: from a pre-trained ResNet-18, α = 0.1, five clients. */
export const printedTableThree: PrintedRows = {
  'CIFAR-10': byMethod(
    '56.89±1.31 56.89±1.33 60.98±1.84 57.18±1.11 78.76±2.30 79.06±0.82 80.42±1.13',
    pretrained,
  ),
  'CINIC-10': byMethod(
    '50.05±0.70 50.04±0.69 50.53±0.69 50.83±0.32 66.89±1.87 69.33±3.44 68.04±1.64',
    pretrained,
  ),
  GTSRB: byMethod(
    '40.63±3.30 40.40±3.35 46.05±2.52 44.87±1.13 61.27±2.80 62.80±4.43 69.29±1.72',
    pretrained,
  ),
  'CIFAR-100': byMethod(
    '30.54±0.46 30.43±0.36 32.10±0.58 33.29±0.48 43.27±1.06 49.00±1.88 48.73±0.58',
    pretrained,
  ),
};

/** Table 1, Fashion-MNIST: seconds of a client on a GPU, and what the Fisher information adds. */
export const printedTimes = {
  FedAvg: '14.5',
  'FedFisher (K-FAC)': '16.0 (+10.3%)',
  'FedFisher (Diag)': '16.6 (+14.4%)',
} as const;

/** Table 4, Fashion-MNIST (its text has the diagonal, its caption K-FAC): α = 0.1, by s_q. */
export const printedTableFour: Readonly<Record<string, Printed>> = {
  '1': '54.64±4.91',
  '2': '56.56±5.57',
};

/** Table 5, Fashion-MNIST: K-FAC, α = 0.1, by s_q. */
export const printedTableFive: Readonly<Record<string, Printed>> = {
  '1': '68.47±2.73',
  '2': '65.87±3.42',
  '4': '68.96±2.71',
  '6': '63.90±4.34',
};

/**
 * FedFisher's own code on Fashion-MNIST, run by us with torch: accuracies in % of seed 0, and of seed 1 at α = 0.1
 * (research/neural.md, section 3).
 */
export const officialCode: Readonly<
  Record<string, Partial<Record<PrintedMethod, readonly number[]>>>
> = {
  '0.2': {
    FedAvg: [57.91],
    OTFusion: [57.91],
    PFNM: [66.97],
    RegMean: [73.65],
    FisherMerge: [57.06],
    'FedFisher (Diag)': [57.74],
    'FedFisher (K-FAC)': [71.14],
  },
  '0.1': {
    FedAvg: [45.66, 42.85],
    OTFusion: [45.66, 42.85],
    PFNM: [64.93, 65.67],
    RegMean: [61.11, 59.48],
    FisherMerge: [56.88, 61.59],
    'FedFisher (Diag)': [56.33, 60.89],
    'FedFisher (K-FAC)': [72.55, 67.42],
  },
  '0.05': {
    FedAvg: [34.82],
    OTFusion: [37.64],
    PFNM: [56.14],
    RegMean: [54.54],
    FisherMerge: [53.3],
    'FedFisher (Diag)': [52.89],
    'FedFisher (K-FAC)': [52.91],
  },
};

/** The mean of a printed value. */
export function printedMean(value: Printed): number {
  return Number.parseFloat(value);
}
