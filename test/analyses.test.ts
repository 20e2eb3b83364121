import { expect, it } from 'vitest';
import { resultOf } from '../src/conclude.ts';
import { verifyResolution } from '../src/protocol/verify-resolution.ts';
import { finiteJson } from '../src/text/finite-json.ts';
import { anyStudy, operator, rows, runningStudy, table } from './coordinator-study.ts';
import { agreement, collect, contribution } from './linear.ts';
import { oneStore } from './stores.ts';
import { summaryOf } from './tables.ts';

const shares = { a: rows(0, 18), b: rows(18, 40), c: rows(40, 60) };
const inquiry = {
  method: { kind: 'ridge', ridge: 'leave-one-site-out', errors: 'clustered' },
  questions: [{ about: 'heterogeneity' }, { about: 'influence' }, { about: 'description' }],
} as const;
const tests = {
  questions: [
    { about: 'comparison', without: ['z'] },
    { about: 'contrast', of: ['x - 2*z = 1'] },
    { about: 'anova' },
  ],
} as const;

async function resolved(store: Parameters<typeof runningStudy>[0], study = anyStudy()) {
  const running = await runningStudy(store, Object.keys(shares), { study });
  await running.sites[0].send(shares.a);
  await running.sites[1].send(shares.b.slice(0, 10));
  await running.coordinator.runDueWork();
  await running.sites[1].send(shares.b.slice(10), { sequence: 2, mode: 'add' });
  await running.sites[2].send(shares.c);
  await running.coordinator.runDueWork();
  return running;
}

/** What one process makes of the same rows. */
function atOnce(study: ReturnType<typeof anyStudy>, about: Parameters<typeof resultOf>[3]) {
  const agreed = agreement(study);
  const contributions = Object.entries(shares).map(([site, own]) =>
    contribution(agreed, site, summaryOf(agreed, table, own)),
  );
  return JSON.parse(finiteJson(resultOf(agreed, collect(agreed, contributions), [], about)));
}

oneStore('another look at a study that has resolved', (open) => {
  it('tests by least squares what the study fitted by it', async () => {
    const study = anyStudy();
    const { coordinator, id } = await resolved(await open(), study);
    const { answers, report } = await coordinator.analyse(operator, id, tests);
    expect(answers).toEqual(atOnce(study, tests).answers);
    expect(answers.filter((answer) => 'problem' in answer)).toEqual([]);
    expect(report.terms).toEqual((await coordinator.resolution(operator, id, 1)).report.terms);
  });

  it('is what one process finds in the same contributions, sealed', async () => {
    const study = anyStudy();
    const { coordinator, id } = await resolved(await open(), study);
    const analysis = await coordinator.analyse(operator, id, inquiry);
    expect(verifyResolution(analysis, coordinator.key)).toBeUndefined();
    expect(analysis.resolution).toBe(1);
    const expected = atOnce(study, inquiry);
    expect(analysis.answers).toEqual(expected.answers);
    expect(analysis.answers.map(({ about }) => about)).toEqual(
      inquiry.questions.map(({ about }) => about),
    );
    expect(analysis.answers.filter((answer) => 'problem' in answer)).toEqual([]);
    expect(analysis.report.terms).toEqual(expected.report.terms);
    expect(analysis.report.ridge?.rule).toBe('leave-one-site-out');
    const { report } = await coordinator.resolution(operator, id, 'latest');
    expect(analysis.report.digest).toBe(report.digest);
    expect(report.ridge).toBeUndefined();
  });

  it('leaves the study and its log as they were', async () => {
    const { coordinator, id } = await resolved(await open());
    const before = await coordinator.auditLog(operator, id);
    const view = await coordinator.view(operator, id);
    await coordinator.analyse(operator, id, inquiry);
    expect((await coordinator.auditLog(operator, id)).entries).toEqual(before.entries);
    expect(await coordinator.view(operator, id)).toEqual(view);
  });

  it('is not for sites, nor before a resolution, nor after what it was made of has changed', async () => {
    const store = await open();
    const { coordinator, id, sites } = await resolved(store);
    await expect(coordinator.analyse(sites[0].caller, id, inquiry)).rejects.toThrow(
      'only the analyst of the study may do this',
    );
    await sites[0].withdraw(2);
    await expect(coordinator.analyse(operator, id, inquiry)).rejects.toThrow(
      'contributions have changed since resolution 1',
    );
    await coordinator.runDueWork();
    expect((await coordinator.analyse(operator, id, inquiry)).resolution).toBe(2);
    const young = await runningStudy(store, ['a', 'b']);
    await expect(coordinator.analyse(operator, young.id, inquiry)).rejects.toThrow(
      'the study has no resolution yet',
    );
  });

  it('resolves a study whose own method looks at the sites one by one', async () => {
    const study = {
      ...anyStudy(),
      fusion: { kind: 'ridge', ridge: 0, errors: 'clustered', siteEffects: 'fixed' },
    } as const;
    const { coordinator, id } = await resolved(await open(), study);
    const { report } = await coordinator.resolution(operator, id, 'latest');
    expect(report.terms).toEqual(atOnce(study, { questions: [] }).report.terms);
    expect(report.errors).toBe('clustered');
    expect(report.siteEffects?.kind).toBe('fixed');
    expect(report.siteEffects?.sites.map(({ site }) => site)).toEqual(['a', 'b', 'c']);
  });

  it('says why where a question has no answer, and answers the others', async () => {
    const { coordinator, id } = await resolved(await open());
    const { answers } = await coordinator.analyse(operator, id, {
      questions: [{ about: 'comparison', without: ['w'] }, { about: 'anova' }],
    });
    expect(answers[0]).toMatchObject({
      about: 'comparison',
      problem: expect.stringContaining('w'),
    });
    expect(answers[1]).toMatchObject({ about: 'anova', rows: expect.anything() });
    await expect(
      coordinator.analyse(operator, id, { without: ['w'], questions: [] }),
    ).rejects.toThrow('the formula has no term w');
  });
});
