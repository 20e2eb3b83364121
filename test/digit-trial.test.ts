import { expect, it } from 'vitest';
import {
  type DigitOutcome,
  type DigitPlan,
  digitMethods,
  digitTrial,
} from '../experiments/fisher/digit-trial.ts';
import { exampleDigits } from './example-digits.ts';

const digits = exampleDigits();
const usual: DigitPlan = { clients: 4, alpha: 0.05, units: 12, epochs: 6, seed: 1 };

function outcomeOf(plan: DigitPlan): DigitOutcome {
  const steps = digitTrial(digits, plan);
  let done = 0;
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
    expect(next.value.done).toBeGreaterThanOrEqual(done);
    done = next.value.done;
  }
}

function accuracy({ models }: DigitOutcome, name: string): number {
  return models.find((model) => model.name === name)!.accuracy;
}

it('the digits of all clients are divided, not lost; models of all digits do not see how', () => {
  const [apart, alike] = [outcomeOf(usual), outcomeOf({ ...usual, alpha: 100 })];
  for (const { clients, models, tested } of [apart, alike]) {
    const rows = clients.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
    expect(rows + tested).toBe(1797);
    expect(models.map(({ name }) => name)).toEqual([
      ...Object.keys(digitMethods),
      'ridge',
      'pooled',
    ]);
    for (const { confusion } of models) {
      expect(confusion.flat().reduce((sum, count) => sum + count, 0)).toBe(tested);
    }
  }
  for (const name of ['ridge', 'pooled']) expect(accuracy(apart, name)).toBe(accuracy(alike, name));
  expect(accuracy(apart, 'ridge')).toBeGreaterThan(0.95);
  // Clients with few of the digits: averaging breaks what each has learnt.
  expect(accuracy(apart, 'average')).toBeLessThan(accuracy(alike, 'average') - 0.1);
  expect(accuracy(alike, 'average')).toBeGreaterThan(0.8);
});
