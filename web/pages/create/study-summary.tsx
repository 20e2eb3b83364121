import { listed } from '../../../src/text/number-text.ts';
import { Digest } from '../../ui/digest.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { ColumnView, StudyTermsView } from '../../worker/study-view.ts';

/** The terms of a study, as every site reads them before it takes part. */
export function StudySummary({ study }: { readonly study: StudyTermsView }) {
  const { name, formula, images, method, columns, whoSees, promise, rules, withoutRules, digest } =
    study;
  return (
    <div class="study-terms">
      <h3>{name ?? 'A study without a name'}</h3>
      <p>
        {images === undefined ? (
          <>
            fits <code>{formula}</code> by {method}.
          </>
        ) : (
          `learns the classes of ${images.shape} by ${method}.`
        )}{' '}
        Every file needs:
      </p>
      <ul>
        {columns.map((column) => (
          <li key={column.name}>
            <code>{column.name}</code> {columnText(column)}
          </li>
        ))}
      </ul>
      <p>{whoSees}</p>
      {promise !== undefined && <p>{promise.text}</p>}
      {rules.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {withoutRules && <Notice kind="warn" title="No rule protects rows in this study." />}
      <Digest text={digest} />
    </div>
  );
}

function columnText({ role, type, unit, range, levels }: ColumnView): string {
  const kind = levels === undefined ? type : `one of ${listed(levels)}`;
  const within = range === undefined ? '' : ` from ${range[0]} to ${range[1]}`;
  return `(${role}): ${kind}${unit === undefined ? '' : ` in ${unit}`}${within}`;
}
