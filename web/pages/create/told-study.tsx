import type { ColumnTold, StudyTold } from '../../desk/study-told.ts';
import { Digest } from '../../ui/digest.tsx';
import { Notice } from '../../ui/notice.tsx';

/** A study in the words every site reads before it takes part. */
export function ToldStudy({ study }: { readonly study: StudyTold }) {
  const { name, formula, method, columns, sight, promise, rules, unruled, digest } = study;
  return (
    <div class="told">
      <h3>{name ?? 'A study without a name'}</h3>
      <p>
        asks for <code>{formula}</code> by {method}. Every file needs:
      </p>
      <ul>
        {columns.map((column) => (
          <li key={column.name}>
            <code>{column.name}</code> {columnWords(column)}
          </li>
        ))}
      </ul>
      <p>{sight}</p>
      {promise !== undefined && <p>{promise.words}</p>}
      {rules.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {unruled && <Notice kind="warn" title="No rule protects rows in this study." />}
      <Digest text={digest} />
    </div>
  );
}

function columnWords({ role, type, unit, range, levels }: ColumnTold): string {
  const kind = levels === undefined ? type : `one of ${levels.join(', ')}`;
  const within = range === undefined ? '' : ` from ${range[0]} to ${range[1]}`;
  return `(${role}): ${kind}${unit === undefined ? '' : ` in ${unit}`}${within}`;
}
