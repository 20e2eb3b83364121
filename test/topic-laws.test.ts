import { describe, expect, it } from 'vitest';
import { answer, answersOn } from '../src/analysis/answer.ts';
import { answerText } from '../src/analysis/answer-text.ts';
import type { QueryInput } from '../src/analysis/query-input.ts';
import type { Question } from '../src/analysis/question.ts';
import { type About, type Asked, type Topic, whyNot } from '../src/analysis/topic.ts';
import { type NamedTopic, namedTopics, type TopicName, topics } from '../src/analysis/topics.ts';
import { question as anyQuestion, questionOn } from '../src/protocol/question-schema.ts';
import { rowCount } from '../src/statistic/statistic.ts';
import { plainInk } from '../src/text/text-table.ts';
import { evidenceOf } from './analysis-evidence.ts';
import { chance } from './chance.ts';
import { tableOf } from './tables.ts';

const { below } = chance(15);
const quarters = (most: number) => Array.from({ length: 90 }, () => below(4 * most) / 4);
const x = quarters(10);
const z = quarters(8);
const g = x.map(() => below(3));
const noise = quarters(6);
const table = tableOf(
  {
    x,
    z,
    g,
    y: x.map((_, r) => 1.5 * x[r] - z[r] + 2 * g[r] + noise[r]),
    v: x.map((_, r) => x[r] + 2 * z[r] - noise[r]),
    b: x.map((_, r) => (x[r] + 2 * noise[r] > 11 ? 1 : 0)),
  },
  { g: ['low', 'mid', 'high'] },
);

const several = evidenceOf(table, 'cbind(y, v) ~ x + z + g');
const glm = evidenceOf(table, 'b ~ x + z + g', { fusion: { kind: 'glm', family: 'binomial' } });
const shown: Readonly<Record<string, QueryInput>> = {
  'least squares': evidenceOf(table, 'y ~ x + z + g'),
  'a ridge': evidenceOf(table, 'y ~ x + z + g', { fusion: { kind: 'ridge', ridge: 2 } }),
  'a category explained': evidenceOf(table, 'g ~ x + z'),
  'several responses': several,
  'a logistic regression': glm,
};
const evidences = Object.entries(shown).flatMap(([name, evidence]) => [
  { name, evidence },
  { name: `${name}, its sites hidden`, evidence: withoutSites(evidence) },
]);

function withoutSites({ sites: _, ...rest }: QueryInput): QueryInput {
  return rest;
}

/** A question for each topic that carries more than its name. */
const carried: Readonly<Record<Exclude<TopicName, NamedTopic>, Question>> = {
  comparison: { about: 'comparison', without: ['x'] },
  contrast: { about: 'contrast', of: ['x - z = 0', 'x = 1'] },
  trend: { about: 'trend', term: 'g' },
  prediction: { about: 'prediction', at: { x: 3, z: 1, g: 'mid' }, level: 0.9 },
};

interface FewRows extends About {
  readonly about: 'few-rows';
  readonly sites: readonly string[];
}

/** A topic of its own: it inherits every law by its row below. */
const fewRows: Topic<FewRows, Asked<'few-rows'> & { readonly below: number }> = {
  about: 'few-rows',
  needs: 'sums',
  sees: 'sites',
  per: 'model',
  carries: (zod) => ({ below: zod.number() }),
  ask: ({ sites }, { below }) => ({
    about: 'few-rows',
    sites: sites.flatMap(({ site, statistic }) => (rowCount(statistic) < below ? [site] : [])),
  }),
  text: ({ sites }, ink) => `${ink.bold('Sites with few rows')}\n${sites.join(', ') || 'none'}`,
};

interface Row {
  readonly topic: Topic;
  readonly question: Asked;
}

const rows: readonly (Row & { readonly about: string })[] = [
  ...namedTopics.map((about): Row => ({ topic: topics[about], question: { about } })),
  ...Object.values(carried).map(
    (question): Row => ({ topic: topics[question.about] as Topic, question }),
  ),
  { topic: fewRows, question: { about: 'few-rows', below: 31 } as Asked },
].map((row) => ({ ...row, about: row.topic.about }));

describe.each(rows)('$about', ({ topic, question }) => {
  const all = evidences.map(({ name, evidence }) => ({
    name,
    answers: answersOn(topic, evidence, question),
  }));
  const answers = all.flatMap((one) => one.answers);

  it.each(all)('answers, or says why not and what to do: $name', ({ answers }) => {
    expect(answers.length).toBeGreaterThan(0);
    for (const one of answers) {
      expect(one.about).toBe(question.about);
      if (!('problem' in one)) continue;
      expect(one.problem).toMatch(/\S/);
      expect(one.advice).toMatch(/\S/);
    }
  });

  it('answers somewhere', () => {
    expect(answers.some((one) => !('problem' in one))).toBe(true);
  });

  it('answers once for each response, or once for the model', () => {
    const found = answersOn(topic, several, question).map(({ response }) => response);
    expect(found).toEqual(topic.per === 'response' ? ['y', 'v'] : [undefined]);
  });

  it('does not depend on the response if it answers once', () => {
    if (topic.per === 'response') return;
    const [first, second] = ['y', 'v'].map((response) =>
      answersOn(topic, several, { ...question, response }),
    );
    expect(first).toStrictEqual(second);
  });

  it('says the same after a journey as JSON', () => {
    for (const one of answers) expect(JSON.parse(JSON.stringify(one))).toStrictEqual(one);
  });

  it('reads as text, before and after the journey', () => {
    for (const one of answers) {
      if ('problem' in one) continue;
      const text = topic.text(one, plainInk);
      expect(text).toMatch(/\S/);
      expect(text).not.toMatch(/undefined|NaN|\[object/);
      expect(topic.text(JSON.parse(JSON.stringify(one)), plainInk)).toBe(text);
    }
  });

  it('declines hidden sites if it looks at sites; otherwise they change nothing', () => {
    for (const evidence of Object.values(shown)) {
      if (whyNot(topic, evidence === glm ? 'information' : 'sums') !== undefined) continue;
      const open = answersOn(topic, evidence, question);
      const hidden = answersOn(topic, withoutSites(evidence), question);
      if (topic.sees === 'total') expect(hidden).toStrictEqual(open);
      else for (const one of hidden) expect(one).toHaveProperty('problem');
    }
  });

  it('declines Fisher information if it needs sums, by its name; otherwise it answers', () => {
    const found = answersOn(topic, glm, question);
    if (topic.needs === 'information') {
      for (const one of found) expect(one).not.toHaveProperty('problem');
    } else {
      const { problem, remedy } = whyNot(topic, 'information')!;
      expect(problem).toContain(`${question.about} needs sums`);
      expect(found).toEqual([{ about: question.about, problem, advice: remedy }]);
    }
  });

  it('declines a response that the model has not', () => {
    const found = answersOn(topic, several, { ...question, response: 'other' });
    expect(found).toEqual([
      {
        about: question.about,
        problem: 'the model has no response other',
        advice: 'its responses are y, v',
      },
    ]);
  });

  it('has a schema that takes its question, and nothing beside it', () => {
    const schema = questionOn(topic);
    expect(schema.parse(question)).toStrictEqual(question);
    expect(schema.safeParse({ ...question, response: 'y' }).success).toBe(true);
    expect(schema.safeParse({ ...question, more: 1 }).success).toBe(false);
    expect(schema.safeParse({ ...question, about: 'other' }).success).toBe(false);
  });
});

describe('the registry', () => {
  it('holds each topic under its name', () => {
    expect(Object.values(topics).map(({ about }) => about)).toEqual(Object.keys(topics));
  });

  it('knows which topics Fisher information answers', () => {
    const answered = Object.values(topics).filter((topic) => !whyNot(topic, 'information'));
    expect(answered.map(({ about }) => about).sort()).toEqual([
      'anova',
      'comparison',
      'contrast',
      'covariance',
      'heterogeneity',
      'influence',
      'prediction',
      'trend',
    ]);
  });

  it('has a row for each of its topics above', () => {
    const names = rows.map(({ about }) => about).filter((about) => about !== fewRows.about);
    expect([...names].sort()).toEqual(Object.keys(topics).sort());
  });

  it('is what answers, reads and checks questions', () => {
    const { sites: _, ...evidence } = several;
    for (const { topic, question } of rows.filter(({ topic }) => topic !== fewRows)) {
      const asked = anyQuestion.parse(question);
      expect(asked).toStrictEqual(question);
      const answers = answer(evidence, asked);
      expect(answers).toStrictEqual(answersOn(topic, evidence, question));
      for (const one of answers) expect(answerText(one)).toContain(textOf(topic, one));
    }
    expect(anyQuestion.safeParse({ about: fewRows.about, below: 31 }).success).toBe(false);
  });
});

function textOf(topic: Topic, one: About): string {
  return 'problem' in one ? String(one.problem) : topic.text(one, plainInk);
}
