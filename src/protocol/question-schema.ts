import * as z from 'zod';
import type { Question } from '../analysis/question.ts';
import type { Topic } from '../analysis/topic.ts';
import { namedTopics, topics } from '../analysis/topics.ts';
import { zodFields } from '../study/zod-fields.ts';

const response = z.string().min(1).max(1000).optional();

/** The schema of a question on one topic: its name, its own fields, and optionally one response. */
export function questionOn({ about, carries }: Pick<Topic, 'about' | 'carries'>): z.ZodType {
  return z.strictObject({ about: z.literal(about), ...carries?.(zodFields), response });
}

/** The schema of a question on any topic. */
export const question: z.ZodType<Question> = z.union([
  z.strictObject({ about: z.enum(namedTopics), response }),
  ...Object.values(topics).flatMap((topic) =>
    topic.carries === undefined ? [] : [questionOn(topic)],
  ),
]) as z.ZodType<Question>;
