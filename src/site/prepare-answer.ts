import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { audit, type ExactAuditInput, needsLeverage } from '../disclosure/audit.ts';
import { type History, historyOf } from '../disclosure/history.ts';
import { leastDifference } from '../disclosure/history-rules.ts';
import { warnOfLaxLimits } from '../disclosure/lax-limits.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import type { Audit } from '../disclosure/rule.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import { type Agreement, regressionOf } from '../federate.ts';
import type { OfferedColumn } from '../protocol/messages.ts';
import { releasedLabels, weightsOf } from '../rows/inspection.ts';
import { originalColumns } from '../rows/original-facts.ts';
import type { SourceVersion } from '../rows/source.ts';
import { taggedColumns } from '../rows/tagged-columns.ts';
import { type AnsweredFacts, factsFrom, hasFacts } from '../sql/facts-from.ts';
import type { SqlAnswer } from '../sql/sql-answer.ts';
import { countedRows, summaryFrom } from '../sql/summary-from.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import { makeContribution } from './make-contribution.ts';
import { forgotten, type Preparation, type Prepared } from './prepare-contribution.ts';
import { forbiddenIn } from './review.ts';
import { requireRosterKey } from './roster-key.ts';

/** The answers of a database to the queries of a study, and the recipient of what is made of them. */
export interface AnswerPreparation
  extends Pick<
    Preparation,
    | 'agreed'
    | 'site'
    | 'numbering'
    | 'place'
    | 'store'
    | 'key'
    | 'disclosure'
    | 'forgotten'
    | 'mask'
  > {
  readonly answers: readonly SqlAnswer[];
  readonly missing: 'drop' | 'refuse';
  /** Where the answers are from: the file, or the table. */
  readonly source: SourceVersion;
}

/**
 * Prepares a contribution from the answers to the queries of `sumsQuery` and `factsQuery`: the same bytes as from the rows.
 * The audit says what it cannot judge without them. Verify the ledger first.
 */
export async function prepareAnswer(preparation: AnswerPreparation): Promise<Prepared> {
  const { agreed, site, numbering, key, store, answers, missing, source } = preparation;
  if (key !== undefined) requireRosterKey({ agreed, site }, key.key);
  const choices = { missing, file: source.path, site };
  const summary = summaryFrom(agreed, answers, choices);
  const past = [...(await store.past()), ...forgotten(preparation)];
  const own = [await store.rules?.(), preparation.disclosure].flatMap((rules) => rules ?? []);
  const { study } = agreed;
  const exact = thresholdsOf(study.disclosure, ...own);
  const history = historyOf(
    {
      ...{ study: agreed.digest, site, mode: numbering.mode },
      columns: taggedColumns(agreed),
      labels: releasedLabels(agreed.method),
      ...weightsOf(agreed.method),
      // Nobody has seen the rows, so no earlier release can be compared with them: R9 says so.
      tags: new Map(),
      ...(exact === 'none' ? {} : { least: leastDifference(exact.thresholds) }),
    },
    past,
  );
  const judged =
    exact === 'none'
      ? undefined
      : warnOfLaxLimits(
          auditOf(agreed, summary, factsOf(preparation, choices), history, own, exact),
          study.disclosure ?? {},
          exact,
        );
  const fileRows = countedRows(answers);
  const { released, file, release } = await makeContribution(preparation, {
    ...{ summary, history, source: source.path },
    more: { fileRows },
  });
  return {
    release,
    source,
    summary,
    released,
    description: { rows: fileRows, columns: {} },
    columns: offered(agreed),
    mismatches: [],
    ...defined({ audit: judged }),
    file,
    ...defined({ signedBy: key?.key }),
    reviewed: past.map(({ digest }) => digest),
  };
}

function factsOf(
  { agreed, answers, source }: AnswerPreparation,
  choices: { readonly file: string; readonly site: string },
): AnsweredFacts {
  if (hasFacts(answers)) return factsFrom(agreed, answers, choices);
  throw factsMissing(source.path);
}

/** The refusal of answers that the disclosure rules cannot judge at all. */
export function factsMissing(file: string): DataError {
  return new DataError(
    'the disclosure rules need facts about the rows, and the answers have only sums',
    { file },
    'write the queries with the facts, and run those too; the facts stay here',
    { name: 'facts' },
  );
}

function auditOf(
  agreed: Agreement,
  summary: Summary,
  { facts, originals, persons, weighted }: AnsweredFacts,
  history: History,
  own: readonly SiteRules[],
  exact: Exclude<ReturnType<typeof thresholdsOf>, 'none'>,
): Audit {
  const regression = regressionOf(agreed);
  const { design } = regression;
  const original = originalColumns(regression);
  const known: ExactAuditInput = {
    statistic: linearStatistic(summary.statistic),
    facts,
    terms: design.terms,
    ...(original !== undefined &&
      originals !== undefined && {
        originals: {
          ...{ layout: original.layout, facts: originals, terms: original.terms },
          expressions: { sums: original.sums, tooLong: original.tooLong },
        },
      }),
    ignored: design.columns.flatMap(({ name, origin }) => (origin === 'site' ? [name] : [])),
    ...defined({ persons, weighted }),
    history,
  };
  return audit(
    {
      ...known,
      ...(needsLeverage(known, exact) && {
        unmeasured:
          'the largest leverage of a row is bounded from the sums, not measured: no query tells it',
      }),
      ...forbiddenIn(regression.study, own),
    },
    exact,
  );
}

/** What a table without a refused cell has for the study. */
function offered({ columns }: Agreement): OfferedColumn[] {
  return columns.map(({ name, column }) =>
    column.type === 'number'
      ? { name, found: 'number', unknownTexts: 0, range: 'inside' }
      : { name, found: 'text', unknownTexts: 0, range: 'not-a-number' },
  );
}
