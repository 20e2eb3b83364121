import type { NetworkFacts } from '../statistic/cross-product.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import { type Finding, notApplicable, percent, type Verdict } from './rule.ts';
import { fewColumns } from './size-rules.ts';

/** What a site knows about a network before it is sent. */
export interface NetworkAuditInput {
  readonly facts: NetworkFacts;
  /** Names of the classes. */
  readonly classes?: readonly string[];
  /** Columns whose products are sent, if they are those of the rows themselves. */
  readonly products?: number;
  /** Whether the study gives weights to start from, and nothing vouches for them. */
  readonly madeUp: boolean;
}

const noProducts = notApplicable('no products of columns are sent');

/** R1 of a network: the products of its first layer's inputs are those of a regression on all columns. */
export function fewInputs(
  { facts, products }: NetworkAuditInput,
  thresholds: DisclosureThresholds,
): Finding {
  return products === undefined ? noProducts : fewColumns(facts.trained, products, thresholds);
}

/** R3 of a network: a class with few rows is learnt by heart. */
export function smallClasses(
  { facts, classes = [] }: NetworkAuditInput,
  { cell }: DisclosureThresholds,
): Finding {
  const { classes: counts } = facts;
  if (counts === undefined) return notApplicable('the response is a number');
  const small = classes.filter((_, k) => counts[k] > 0 && counts[k] < cell);
  if (small.length === 0) return { verdicts: [] };
  return {
    verdicts: [
      {
        rule: 'R3',
        level: 'block',
        columns: small,
        problem: `fewer than ${cell} rows are of this class, and a network learns so few by heart`,
        remedy: 'leave out the rows of this class, or add rows to it',
      },
    ],
  };
}

/** Advantages beyond chance from which the site must acknowledge it, and from which nothing is sent. */
const ADVANTAGES = { warn: 0.1, block: 0.5 } as const;

const madeUpWeights: Verdict = {
  rule: 'R6',
  level: 'warn',
  columns: [],
  problem:
    'the study gives weights to start from, and names no resolution that they are from: weights can be made so that the trained network gives single rows away',
  remedy: 'ask where the weights are from, or for a study that starts from random ones',
};

/** R6 of a network: how well its losses tell the rows that it was trained on from those that were held out. */
export function remembersRows({ facts, madeUp }: NetworkAuditInput): Finding {
  const { membership } = facts;
  const made = madeUp ? [madeUpWeights] : [];
  if (membership === undefined) {
    return {
      verdicts: made,
      unjudged:
        'no rows were held out, so nobody can tell what the network remembers of the others',
    };
  }
  const beyond = membership.advantage - membership.chance;
  if (beyond <= ADVANTAGES.warn) {
    const { advantage, chance } = membership;
    return {
      verdicts: made,
      note: `of the network: its losses tell trained rows from others with an advantage of ${percent(advantage)}, by chance up to ${percent(chance)}`,
    };
  }
  const level: Verdict['level'] = beyond > ADVANTAGES.block ? 'block' : 'warn';
  return {
    verdicts: [
      ...made,
      {
        rule: 'R6',
        level,
        columns: [],
        problem: `the network remembers its rows: by their loss alone, one can tell them from others with an advantage of ${percent(membership.advantage)} (chance: up to ${percent(membership.chance)})`,
        remedy: 'ask for fewer epochs or a smaller network, or add rows',
      },
    ],
  };
}
