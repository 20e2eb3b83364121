import { describe, expect, it } from 'vitest';
import { clientsByShares, rowsByClient } from '../experiments/fisher/partition.ts';

describe('the partition of FedFisher’s code', () => {
  const labels = Uint8Array.from({ length: 60_000 }, (_, r) => r % 10);
  const shares = (alpha: number, clients: number) =>
    rowsByClient(clientsByShares(labels, clients, alpha), clients).map(
      ({ length }) => length / 60_000,
    );

  it('has the sizes of its clients at α = 0.1', () => {
    expect(shares(0.1, 5).map((share) => share.toFixed(2))).toEqual([
      '0.25',
      '0.20',
      '0.31',
      '0.08',
      '0.15',
    ]);
  });

  // numpy: (np.cumsum(p / p.sum()) * 6000).astype(int), class by class.
  it('has the images of each class that numpy counts at α = 0.1', () => {
    const counts = rowsByClient(clientsByShares(labels, 5, 0.1), 5).map((rows) => {
      const byClass = new Array<number>(10).fill(0);
      for (const row of rows) byClass[labels[row]!]!++;
      return byClass;
    });
    expect(counts).toEqual([
      [4704, 357, 5776, 0, 0, 0, 442, 3683, 0, 0],
      [1, 4270, 7, 0, 0, 5518, 2266, 2, 87, 0],
      [1269, 926, 41, 3935, 0, 0, 242, 725, 5759, 5948],
      [25, 444, 0, 0, 3631, 126, 346, 277, 0, 0],
      [1, 3, 176, 2065, 2369, 356, 2704, 1313, 154, 52],
    ]);
  });

  it.each([
    [0.05, 5],
    [0.2, 5],
    [0.3, 30],
  ])('puts every image at one client: α = %d, M = %d', (alpha, clients) => {
    const rows = rowsByClient(clientsByShares(labels, clients, alpha), clients);
    expect(rows.flatMap((own) => [...own]).sort((a, b) => a - b)).toEqual([...labels.keys()]);
  });

  it('refuses shares that were never drawn', () => {
    expect(() => clientsByShares(labels, 5, 0.4)).toThrow('no shares of classes for α = 0.4');
    expect(() => clientsByShares(labels, 31, 0.3)).toThrow('31 clients');
  });
});
