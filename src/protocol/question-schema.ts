import * as z from 'zod';
import type { Question } from '../analysis/question.ts';
import type { Topic } from '../analysis/topic.ts';
import { namedTopics, topics } from '../analysis/topics.ts';
import { zodParts } from '../study/zod-parts.ts';

const response = z.string().min(1).max(1000).optional();

/** A question on one topic: its name, what it carries, and perhaps one response. */
export function questionOn({ about, carries }: Pick<Topic, 'about' | 'carries'>): z.ZodType {
  return z.strictObject({ about: z.literal(about), ...carries?.(zodParts), response });
}

/** A question on any topic; each topic's own schemas are held to its type. */
export const question: z.ZodType<Question> = z.union([
  z.strictObject({ about: z.enum(namedTopics), response }),
  ...Object.values(topics).flatMap((topic) =>
    topic.carries === undefined ? [] : [questionOn(topic)],
  ),
]) as z.ZodType<Question>;
