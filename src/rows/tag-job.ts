import { joinTags, type RowTags, tagger } from '../disclosure/row-tags.ts';
import { type Agreement, agreement, codebookIn } from '../federate.ts';
import { completeRows, weightedRows } from '../statistic/complete-rows.ts';
import type { Column } from '../study/codebook.ts';
import type { Block } from '../table/columns.ts';
import type { Host } from './host.ts';
import { arrangement, columnsToRead, type RowSource, readTable } from './read-rows.ts';
import type { JobProgress, SourceRange } from './source.ts';

/** Tags of the rows a study would use, over the columns of an earlier release. */
export interface TagJob extends RowSource {
  readonly kind: 'tag';
  readonly site: string;
  readonly tagKey: Uint32Array;
  /** In the order of the earlier release's tags. */
  readonly columns: readonly { readonly name: string; readonly column: Column }[];
}

export interface TagResult {
  readonly tags: RowTags;
  readonly edges?: SourceRange;
}

export async function tagRows(job: TagJob, host: Host, progress: JobProgress): Promise<TagResult> {
  const agreed = agreement(job.study);
  const own = columnsToRead(agreed);
  const others = job.columns.filter(({ name }) => !own.includes(name));
  const read = [...own, ...others.map(({ name }) => name)];
  const arrange = arrangement(agreed, read);
  const codebook = codebookIn(agreed);
  const tags = tagger(job.tagKey);
  const sink = (block: Block) => {
    const { block: used, origin } = usedRows(agreed, arrange(block, job.site));
    const columns = job.columns.map(({ name, column }) =>
      asBefore(block.columns[read.indexOf(name)], codebook[name], column),
    );
    tags.add(used.rows, columns, (r) => origin?.[r] ?? r);
  };
  const edges = await readTable(
    host,
    job,
    { ...codebook, ...Object.fromEntries(others.map(({ name, column }) => [name, column])) },
    read,
    sink,
    progress,
  );
  return { tags: tags.finish(), edges };
}

export function joinTagResults(results: readonly TagResult[]): TagResult {
  return { tags: joinTags(results.map(({ tags }) => tags)) };
}

function usedRows({ method }: Agreement, block: Block): ReturnType<typeof completeRows> {
  const complete = completeRows(block, () => {});
  return method.regression?.study.weights === undefined ? complete : weightedRows(complete);
}

/** Values as the earlier study coded them: its levels may have had another order. */
function asBefore(values: Float64Array, now: Column | undefined, before: Column): Float64Array {
  if (now?.type !== 'category' || before.type !== 'category') return values;
  const places = now.levels.map((level) => before.levels.indexOf(level));
  return values.map((code) => {
    const place = Number.isNaN(code) ? -1 : places[code];
    return place < 0 ? Number.NaN : place;
  });
}
