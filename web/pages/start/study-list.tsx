import { useState } from 'preact/hooks';
import { progressText } from '../../../src/site/progress-text.ts';
import { addressOf } from '../../tab/own-address.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { countText, timeText } from '../../ui/text.ts';
import type { ListedStudy } from '../../worker/listed-studies.ts';
import { StateTag } from '../study/state-tag.tsx';

/** From this number of studies on, the list can be searched and sorted. */
const LONG = 7;

type Order = 'newest' | 'name' | 'state';

const orders: readonly (readonly [Order, string])[] = [
  ['newest', 'newest first'],
  ['name', 'by name'],
  ['state', 'by state'],
];

/** The studies of a coordinator, each a link to its page. */
export function StudyLines({
  studies,
  coordinator,
  token,
}: {
  /** Newest first. */
  readonly studies: readonly ListedStudy[];
  readonly coordinator: string;
  readonly token: string;
}) {
  const [wanted, setWanted] = useState('');
  const [order, setOrder] = useState<Order>('newest');
  const found = inOrder(
    studies.filter((study) => matches(study, wanted)),
    order,
  );
  return (
    <>
      {studies.length >= LONG && (
        <div class="study-search">
          <TextField
            label="Search"
            hint="Name, formula or state."
            value={wanted}
            onInput={setWanted}
          />
          <SelectField label="Order" value={order} options={orders} onChange={setOrder} />
          <p class="small soft" role="status">
            {countText(found.length)} of {countText(studies.length)} studies
          </p>
        </div>
      )}
      <ul class="studies">
        {found.map((study) => (
          <StudyLine
            key={study.id}
            study={study}
            address={addressOf('study', linkOf(study, coordinator, token))}
          />
        ))}
      </ul>
    </>
  );
}

/** Whether each word is in the name, the formula or the state. */
function matches({ name = '', id, formula, state }: ListedStudy, wanted: string): boolean {
  const text = `${name} ${id} ${formula} ${state}`.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function inOrder(studies: readonly ListedStudy[], order: Order): readonly ListedStudy[] {
  if (order === 'newest') return studies;
  const keyOf = ({ name, id, state }: ListedStudy) => (order === 'name' ? (name ?? id) : state);
  return studies.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
}

function linkOf({ id, coordinatorKey }: ListedStudy, coordinator: string, token: string) {
  return { coordinator, study: id, token, coordinatorKey };
}

function StudyLine({ study, address }: { readonly study: ListedStudy; readonly address: string }) {
  const { name, round, formula, state, progress, deadline, resolution } = study;
  return (
    <li class="card">
      <div class="row">
        <h2>
          <a href={address}>{name ?? `Study ${study.id}`}</a>
          {round !== undefined && <span class="soft"> round {round}</span>}
        </h2>
        <StateTag state={state} />
      </div>
      <code class="formula">{formula}</code>
      <p class="small soft meta">
        <span>{progressText(progress)}</span>
        {deadline !== undefined && <span>until {timeText(deadline)}</span>}
        <span>{resolution === undefined ? 'no result yet' : `resolution ${resolution}`}</span>
        <span>created {timeText(study.createdAt)}</span>
      </p>
      {study.problem !== undefined && <p class="small problem">{study.problem}</p>}
    </li>
  );
}
