import { grouped } from '../../../src/text/number-text.ts';
import { addressOf } from '../../tab/own-address.ts';
import { isSite } from '../../tab/page-address.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { type DataCell, DataTable } from '../../ui/data-table.tsx';
import { sentence } from '../../ui/notice.tsx';
import type { NetworkView } from '../../worker/network-view.ts';
import type { SectionProps } from './section-props.ts';

/** A fused network: its layers, how it was fused, what each site had, and what comes next. */
export function NetworkSection({ shown, link }: SectionProps) {
  const { network } = shown;
  if (network === undefined) return null;
  const { sites } = shown.resolution.report;
  return (
    <div class="stack">
      <p>
        {sentence(network.method)} Its {grouped(network.weights)} weights are in the JSON and ONNX
        files below.
      </p>
      <Layers network={network} />
      <h3>What each site had</h3>
      <DataTable
        label="Rows of the sites"
        columns={[
          { name: 'Site' },
          { name: 'Rows', numeric: true },
          { name: 'Left out', numeric: true },
        ]}
        rows={sites.map(({ name, n, dropped }) => [
          { value: name },
          countCell(n),
          countCell(dropped),
        ])}
        sortable
        copyable
        tall={sites.length > 16}
      />
      <h3>How good is it?</h3>
      <p>
        No loss and no accuracy is sent, so the report has none.{' '}
        <a href={addressOf('predict', link)}>Try the network on rows of your own</a>: they stay in
        your tab. <code>npx suffice evaluate</code> counts right and wrong classes at several sites.
      </p>
      <Next network={network} address={isSite(link) ? undefined : addressOf('study', link)} />
      {network.notes.map((text) => (
        <p key={text} class="soft">
          {text}
        </p>
      ))}
    </div>
  );
}

function countCell(count: number | undefined): DataCell {
  return count === undefined ? { value: null } : { value: count, shown: grouped(count) };
}

/** The layers from the inputs to the outputs; a bar is longer where a layer has more values. */
function Layers({ network: { layers } }: { readonly network: NetworkView }) {
  const most = Math.log1p(Math.max(...layers.map(({ values }) => values)));
  return (
    <ol class="layers" aria-label="Layers of the network">
      {layers.map(({ name, values, form, weights }, k) => (
        <li key={k}>
          <span class="layer-name">{name}</span>
          <span class="layer-bar" aria-hidden="true">
            <span style={{ width: `${(100 * Math.log1p(values)) / most}%` }} />
          </span>
          <span class="number">
            {form}
            {values === 1 ? ' value' : ' values'}
          </span>
          <span class="number soft">{weights === 0 ? '' : `${grouped(weights)} weights`}</span>
        </li>
      ))}
    </ol>
  );
}

const COMMAND = 'npx suffice study refine study.link';

/** The next round, or what one more contact would add. */
function Next({
  network: { next },
  address,
}: {
  readonly network: NetworkView;
  /** Of the page that opens a round; for the analyst. */
  readonly address: string | undefined;
}) {
  return (
    <>
      <h3>The next round</h3>
      {next === undefined ? (
        <p>
          The study plans none. One more contact can fit the last layer anew, exactly, on the rows
          of all sites: a ridge regression on what that layer takes. It can mend what fusing has
          broken, and a study plans it with <code>"head": "ridge"</code>.
        </p>
      ) : (
        <p>
          {next.planned === 1 ? 'One more round is' : `${next.planned} more rounds are`} planned.
          The next one: {next.text}. Sites take part with the links that they have.
        </p>
      )}
      {next !== undefined && address !== undefined && (
        <div class="row">
          <a class="button plain" href={address}>
            Open it on the page of the study
          </a>
          <code>{COMMAND}</code>
          <CopyButton text={() => COMMAND}>Copy the command</CopyButton>
        </div>
      )}
    </>
  );
}
