import { useState } from 'preact/hooks';
import { significant } from '../../../src/text/number-text.ts';
import { HeatMapChart } from '../../charts/heat-map.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Digest } from '../../ui/digest.tsx';
import { download } from '../../ui/download.ts';
import { Facts } from '../../ui/facts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { countText } from '../../ui/text.ts';
import { call } from '../../worker/call.ts';
import type { Outgoing, Square } from '../../worker/outgoing.ts';

/** The contribution exactly as it will be sent, read back from its own bytes. */
export function OutgoingCard({
  outgoing,
  withoutRules,
}: {
  readonly outgoing: Outgoing;
  /** No rule has checked it. */
  readonly withoutRules: boolean;
}) {
  const { bytes, numbers, digest, signedBy, header, text, masked, derivable, own, square } =
    outgoing;
  const [view, setView] = useState<'picture' | 'numbers'>('picture');
  const save = async () =>
    download('contribution.csv', [await call('outgoingNumbers', [])], 'text/csv');
  return (
    <Card
      title="What will be sent"
      about={`One file of ${countText(bytes)} bytes with ${countText(numbers)} numbers. ${text}`}
      aside={
        square !== undefined && (
          <Choice
            label="Show the numbers as"
            value={view}
            options={[
              ['picture', 'Picture'],
              ['numbers', 'Numbers'],
            ]}
            onChange={setView}
          />
        )
      }
    >
      {withoutRules && (
        <Notice
          kind="warn"
          title="This study has switched off the disclosure rules: no rule has checked these numbers."
        />
      )}
      {masked !== undefined && (
        <Notice
          kind="info"
          title="Below are your numbers before they are masked. Only you see them."
        >
          <p>{masked}</p>
        </Notice>
      )}
      {derivable.length > 0 && (
        <div class="stack">
          <h3>
            {masked === undefined
              ? 'Anyone who sees the file can read at once'
              : 'What your numbers say, before they are masked'}
          </h3>
          <ul class="join-derivable">
            {derivable.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </div>
      )}
      {own.length > 0 && (
        <div class="stack">
          <h3>Only you see</h3>
          <ul>
            {own.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </div>
      )}
      {square !== undefined &&
        (view === 'picture' ? (
          <Picture
            square={square}
            sent={masked === undefined ? 'that is sent' : 'before its mask'}
          />
        ) : (
          <Numbers square={square} />
        ))}
      <OtherNumbers outgoing={outgoing} />
      <dl class="join-identity">
        <dt>digest</dt>
        <dd>
          <Digest text={digest} />
        </dd>
        <dt>signed by</dt>
        <dd>
          <span class="digest">{signedBy}</span>, the key of your site in this browser
        </dd>
      </dl>
      <details>
        <summary>What else is in the file</summary>
        <Facts facts={header} />
      </details>
      <div class="row">
        <Button kind="quiet" onClick={() => void save()}>
          Save all numbers as CSV
        </Button>
      </div>
    </Card>
  );
}

/** The numbers outside the square; of a part with many of them, how many and how large. */
function OtherNumbers({ outgoing: { square, beside, parts } }: { readonly outgoing: Outgoing }) {
  if (beside.length + parts.length === 0) return null;
  return (
    <DataTable
      label="Other numbers"
      columns={[
        { name: square === undefined ? 'number' : 'other numbers' },
        { name: 'value', numeric: true },
      ]}
      rows={[
        ...beside.map(([name, exact]) => [{ value: name }, { value: exact, shown: brief(exact) }]),
        ...parts.map(({ name, count, least, most }) => [
          { value: `${name}: ${countText(count)} numbers` },
          {
            value: `${least} to ${most}`,
            shown: `${significant(least, 3)} to ${significant(most, 3)}`,
          },
        ]),
      ]}
    />
  );
}

function Picture({
  square,
  sent,
}: {
  readonly square: Square;
  /** Which number is shown: the one that is sent, or the one before its mask. */
  readonly sent: string;
}) {
  const { names, tints, sums } = square;
  return (
    <figure class="join-square">
      <HeatMapChart
        names={names}
        values={tints}
        range={[-1, 1]}
        title="Sums of products of two columns"
        cellText={(_, row, column) => sums[row][column]}
      />
      <figcaption class="small soft">
        A cell is the sum over all rows of the product of two columns, each centred and scaled as
        the study says. Its tint is that sum divided by the root of its two sums on the diagonal.
        Point at a cell, or move with the arrow keys, to see the exact number {sent}.{' '}
        <Cut square={square} />
      </figcaption>
    </figure>
  );
}

function Numbers({ square }: { readonly square: Square }) {
  const { names, sums } = square;
  return (
    <div class="stack">
      <DataTable
        label="Sums of products of two columns"
        columns={[{ name: 'sum of products' }, ...names.map((name) => ({ name, numeric: true }))]}
        rows={names.map((name, row) => [
          { value: name },
          ...names.map((_, column) => ({
            value: sums[row][column],
            shown: <span title={sums[row][column]}>{brief(sums[row][column])}</span>,
          })),
        ])}
        tall
        copyable
      />
      <p class="small soft">
        Rounded here; the copy has all digits. <Cut square={square} />
      </p>
    </div>
  );
}

function Cut({ square: { names, width } }: { readonly square: Square }) {
  if (names.length === width) return null;
  return (
    <>
      The first {names.length} of {width} columns are shown; all numbers are in the CSV.
    </>
  );
}

/** Seven digits of an exact number. */
function brief(exact: string): string {
  const value = Number(exact.replace('−', '-'));
  return String(Number(value.toPrecision(7))).replace('-', '−');
}
