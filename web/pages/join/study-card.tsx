import { progressOf } from '../../../src/protocol/progress.ts';
import { DAYS, dateText } from '../../../src/table/written-date.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Notice, sentence } from '../../ui/notice.tsx';
import { countText, timeText } from '../../ui/text.ts';
import type { Landing } from '../../worker/landing.ts';
import type { ColumnView } from '../../worker/study-view.ts';
import { OfficerAnswers } from './officer-answers.tsx';
import { RosterPart } from './roster-part.tsx';

/** The question, the columns it needs, and who sees what. */
export function StudyCard({
  landing,
  folded,
}: {
  readonly landing: Landing;
  /** Folded after a file was chosen or sent. */
  readonly folded: boolean;
}) {
  if (folded) {
    return (
      <details class="join-fold">
        <summary>About the study</summary>
        <StudyTerms landing={landing} />
      </details>
    );
  }
  return <StudyTerms landing={landing} />;
}

function StudyTerms({ landing }: { readonly landing: Landing }) {
  const { study, deadline, sites, quorum } = landing;
  const { contributed, expected } = progressOf({ sites });
  return (
    <Card title="What is asked">
      <div class="stack join-asked">
        <p>{askedText(study)}</p>
        {study.formula !== undefined && <p class="formula join-formula">{study.formula}</p>}
      </div>
      <Facts
        facts={[
          ['method', study.method],
          ['your site', landing.site],
          [
            'contributed',
            `${countText(contributed)} of ${countText(expected)} sites; ${countText(quorum)} needed`,
          ],
          ['until', deadline === undefined ? 'no deadline' : timeText(deadline)],
        ]}
      />
      <div class="stack">
        <h3>{study.images === undefined ? 'Columns' : 'Images'} that your file needs</h3>
        <p class="soft">
          {study.images === undefined
            ? 'Compare this with your file. Other columns are allowed; they are not read.'
            : study.images.files.join(' ')}
        </p>
        <DataTable
          label="Columns of the study"
          columns={[
            { name: 'column' },
            { name: 'role' },
            { name: 'type' },
            { name: 'allowed values' },
            { name: 'missing values' },
          ]}
          rows={study.columns.map((column) => [
            { value: column.name, shown: <code>{column.name}</code> },
            { value: column.role },
            { value: typeText(column) },
            { value: allowed(column), shown: <Allowed column={column} /> },
            { value: column.missing.join(' or '), shown: <Markers texts={column.missing} /> },
          ])}
          copyable
          stacks
        />
      </div>
      <div class="columns">
        <div class="stack">
          <h3>Who sees what</h3>
          <p>{study.whoSees}</p>
        </div>
        <div class="stack">
          <h3>{study.promise === undefined ? 'Disclosure rules' : 'The privacy promise'}</h3>
          {study.promise !== undefined && <p>{study.promise.text}</p>}
          {study.promise?.forecast.map((text) => (
            <p key={text} class="soft">
              {sentence(text)}
            </p>
          ))}
          {study.rules.map((text) => (
            <p key={text}>{text}</p>
          ))}
          {study.withoutRules && (
            <Notice kind="warn" title="No rule protects your rows in this study." />
          )}
        </div>
      </div>
      {study.parties !== undefined && <RosterPart landing={landing} parties={study.parties} />}
      <OfficerAnswers landing={landing} />
      <details>
        <summary>Other sites, and the digest of the study</summary>
        <div class="stack">
          <ul class="join-sites">
            {sites.map(({ name, state }) => (
              <li key={name}>
                {name}: {state}
              </li>
            ))}
          </ul>
          <Digest text={study.digest} />
        </div>
      </details>
    </Card>
  );
}

const NAMED = 6;

/** What the study asks, as a question where it can be one. */
function askedText({ images, formula, method, asks }: Landing['study']): string {
  if (images !== undefined)
    return `Which class does an image show? It learns from ${images.shape}.`;
  return formula === undefined ? sentence(method) : questionOf(asks);
}

/** The formula as a question, for readers who do not know formulas. */
function questionOf({ responses, predictors }: Landing['study']['asks']): string {
  const rest = predictors.length - NAMED;
  const shown = rest > 0 ? [...predictors.slice(0, NAMED), `${rest} more`] : predictors;
  const outcome = listed(responses);
  return shown.length === 0
    ? `What is ${outcome} on average?`
    : `How does ${outcome} depend on ${listed(shown)}?`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function typeText({ type, unit, decimal }: ColumnView): string {
  if (type !== 'number') return type === 'one of' ? 'one of a few values' : 'any text';
  if (unit === DAYS) return `date, or number in ${DAYS}`;
  const mark = decimal === ',' ? ', decimal comma' : '';
  return `number${unit === undefined ? '' : ` in ${unit}`}${mark}`;
}

function allowed({ range, levels, unit }: ColumnView): string {
  if (levels !== undefined) return levels.join(', ');
  if (range !== undefined && unit === DAYS) return range.map(dateText).join(' to ');
  return range === undefined ? 'anything' : `${range[0]} to ${range[1]}`;
}

function Allowed({ column }: { readonly column: ColumnView }) {
  if (column.levels === undefined) return <span class="number">{allowed(column)}</span>;
  return <Markers texts={column.levels} />;
}

function Markers({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span class="join-markers">
      {texts.map((text) => (text === '' ? <em key="">empty</em> : <code key={text}>{text}</code>))}
    </span>
  );
}
