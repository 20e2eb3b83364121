import { describe, expect, it } from 'vitest';
import { muOf } from '../src/privacy/calibration.ts';
import { suffice } from './cli.ts';
import { expectRelative } from './relative.ts';

/** What `suffice privacy …` prints, and its exit code. */
const privacy = (line: string) => suffice('privacy', ...line.split(' '));

const paper = 'plan --epsilon 1 --delta 1e-5 --rows 8000 --features 100';

describe('suffice privacy plan', () => {
  it('gives μ, noise and forecast as JSON', async () => {
    const { code, stdout } = await privacy(`${paper} --json`);
    const plan = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(plan.schema).toBe('suffice/privacy-plan@1');
    expectRelative(plan.mu, 0.2680511232112939, 1e-12, 'μ');
    expectRelative(plan.sigma.gram, 5.898646538547954, 1e-12, 'G');
    expectRelative(plan.sigma.moment, 1.235335578151046, 1e-12, 'h');
    expectRelative(plan.sigma.square, 1.6487218294296324, 1e-12, 'Σb²');
    expectRelative(plan.sigma.count, 37.30631634815946, 1e-12, 'n');
    expectRelative(plan.forecast.relativeExcess, 0.2944807310074276, 1e-10, 'excess');
    expect(plan.forecast.verdict).toBe('warn');
    expect(plan.forecast.rowsForOnePercent).toBe(43_413);
    expect(plan.forecast.expectedRowsForOnePercent).toBe(53_170);
  });

  it('says what the promise means, what the noise does and what helps', async () => {
    const { stdout } = await privacy(paper);
    expect(stdout).toContain('(ε = 1, δ = 1e-5) for one row, being there or not.');
    expect(stdout).toContain('AUC above 0.575');
    expect(stdout).toMatch(/a column with itself \(n\/d\) +80\.0 +5\.90\n/);
    expect(stdout).toContain('about 44 % of the variance that the columns explain');
    expect(stdout).toContain('For an error of 1 % it takes 53,170 rows.');
    expect(stdout).toMatch(/\n {2}10 +2\.000 +0\.79 % +7,125 +one-shot\n/);
    expect(stdout).toMatch(/\n {2}0\.1 +0\.03252 +over 200 % +438,249 +refuse\n/);
    expect(stdout).toContain('--refinements 4');
    expect(stdout).toContain('--protects labels): 8.4 %');
    expect(stdout).toContain('Fewer columns: these rows carry 47 at 5 %');
    expect(stdout).not.toContain('Warning');
  });

  it('gives no advice where one round is enough', async () => {
    const { stdout } = await privacy('plan --epsilon 1 --delta 1e-6 --rows 90000 --features 12');
    expect(stdout).toContain('one round is enough');
    expect(stdout).not.toContain('What helps');
  });

  it('plans all the same where the verdict is to refuse, and warns of a large δ', async () => {
    const { code, stdout } = await privacy(
      'plan --epsilon 0.1 --delta 0.02 --rows 90 --features 9',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('Verdict refuse');
    expect(stdout).toContain('Warning: δ is not below 1/rows');
    expect(stdout).toContain('Fewer columns: even one is too many');
    expect(stdout).not.toContain('--protects labels'); // it would not help either
  });

  it('names what helps only where it does', async () => {
    const few = await privacy('plan --epsilon 1 --delta 1e-6 --rows 400 --features 5');
    expect(few.stdout).toContain('What helps');
    expect(few.stdout).not.toContain('--protects labels'); // another label moves h by twice its bound
    const local = await privacy(
      'plan --epsilon 1 --delta 1e-6 --rows 1000 --features 5 --placement local --sites 9',
    );
    expect(local.stdout).toContain('--placement central');
    expect(local.stdout).toContain('--placement aggregators');
    const inside = await privacy(
      'plan --epsilon 1 --delta 1e-6 --rows 400 --features 5 --placement aggregators',
    );
    expect(inside.stdout).toContain('added twice, by the coordinator and by a helper');
    expect(inside.stdout).toContain('--placement central');
    expect(inside.stdout).not.toContain('--placement aggregators');
    const alone = await privacy(
      'plan --epsilon 1 --delta 1e-6 --rows 400 --features 5 --placement local --sites 1',
    );
    expect(alone.stdout).toContain('What helps');
    expect(alone.stdout).not.toMatch(/--placement (central|aggregators)/);
  });

  it('has one yardstick: with the rows it names, the expected error is 1 %', async () => {
    const { stdout } = await privacy(paper.replace('8000', '53170'));
    expect(stdout).toContain('about 1.0 % of the variance');
    expect(stdout).toContain('it takes 53,170 rows');
  });

  it('calls a large ε a weak promise', async () => {
    const weak = await privacy('plan --epsilon 6 --delta 1e-6 --rows 5000 --features 5');
    expect(weak.stdout).toMatch(/ε above 5 is a weak promise; .* AUC of up to 0\.\d{3}/);
    const usual = await privacy('plan --epsilon 5 --delta 1e-6 --rows 5000 --features 5');
    expect(usual.stdout).not.toContain('weak promise');
  });

  it('knows sites, persons, releases and rounds', async () => {
    const { stdout } = await privacy(
      `${paper} --json --sites 20 --placement local --unit person --rows-per-person 3 --releases 4 --refinements 4`,
    );
    const plan = JSON.parse(stdout);
    expectRelative(plan.mu, muOf({ epsilon: 1, delta: 1e-5 }), 1e-12, 'μ');
    expectRelative(plan.sigma.gram, 6 / (plan.mu * Math.sqrt(0.15)), 1e-12, 'G');
    expectRelative(plan.forecast.relativeExcess, 0.2944807310074276 * 20 * 9 * 4, 1e-10, 'excess');
    expectRelative(plan.firstRound.mu, (plan.mu / 2) * Math.sqrt(0.17 + 0.83 / 5), 1e-12, 'μ₀');
  });

  it('says what further rounds can do', async () => {
    const { stdout } = await privacy(`${paper} --refinements 4`);
    expect(stdout).toContain('5 rounds share this budget: the first takes μ = 0.1554.');
    expect(stdout).toContain('one round is not enough; further rounds mend most of it');
    const noisy = await privacy(
      'plan --epsilon 0.1 --delta 1e-5 --rows 8000 --features 100 --refinements 4',
    );
    expect(noisy.stdout).toContain('start from noise and may not mend it');
  });

  it.each([
    ['plan --epsilon 0 --delta 1e-5 --rows 10 --features 2', '--epsilon must be above 0'],
    ['plan --epsilon 1 --delta 1 --rows 10 --features 2', '--delta must be between 0 and 1'],
    ['plan --epsilon 1 --delta 0.1 --rows 10 --features 2', '--delta must be below 0.1'],
    ['plan --epsilon 1 --delta 1e-30 --rows 10 --features 2', 'delta is too small'],
    ['plan --epsilon 1 --delta 1e-5 --rows 1.5 --features 2', '--rows must be a whole number'],
    [`${paper} --unit person`, '--rows-per-person belong together'],
    [`${paper} --rows-per-person 2`, '--rows-per-person belong together'],
    [`${paper} --placement local`, '--placement local needs --sites'],
    [`${paper} --refinements 6`, '--refinements is 5 at most'],
    [`${paper} --refinements 2 --protects labels`, 'the first round is all there is to gain'],
    [`${paper} --releases 0`, '--releases must be a whole number'],
    ['convert --delta 1e-5', 'give --epsilon or --mu'],
    ['convert --delta 1e-5 --epsilon 1 --mu 1', 'give --epsilon or --mu'],
    ['convert --delta 1e-5 --mu -1', '--mu must be positive'],
  ])('refuses %s', async (line, complaint) => {
    const { code, stdout, stderr } = await privacy(line);
    expect(code).toBe(2);
    expect(stderr).toContain(complaint);
    expect(stdout).toBe('');
  });
});

describe('suffice privacy convert', () => {
  it('turns (ε, δ) into μ and back, over several releases', async () => {
    const there = JSON.parse((await privacy('convert --epsilon 2 --delta 1e-6 --json')).stdout);
    expectRelative(there.mu, 0.44833474039519294, 1e-12, 'μ');
    const part = there.mu / Math.sqrt(2);
    const line = `convert --mu ${part} --mu ${part} --delta 1e-6`;
    const back = JSON.parse((await privacy(`${line} --json`)).stdout);
    expect(back.schema).toBe('suffice/privacy-conversion@1');
    expectRelative(back.epsilon, 2, 1e-12, 'ε');
    const { stdout } = await privacy(line);
    expect(stdout).toContain('ε = 2.000000000\n');
    expect(stdout).toContain('of 2 releases together');
  });
});
