import { DataTable } from '../../ui/data-table.tsx';
import type { Landing } from '../../worker/landing.ts';
import type { PartiesView } from '../../worker/parties-view.ts';

/** The sites of the roster with the beginnings of their keys, and whether this browser's key is among them. */
export function RosterPart({
  landing: { site, store },
  parties: { sites },
}: {
  readonly landing: Landing;
  readonly parties: PartiesView;
}) {
  if (sites.length === 0) return null;
  const known = 'key' in store && store.strange === undefined;
  return (
    <div class="stack">
      <h3>Who takes part</h3>
      <p>
        Only these sites can take part, each with its own key.{' '}
        {known
          ? 'Your key is on the roster.'
          : 'The key of this browser is not the one on the roster for your site.'}
      </p>
      <DataTable
        label="Sites on the roster"
        columns={[{ name: 'site' }, { name: 'key, its beginning' }]}
        rows={sites.map(({ name, key, short }) => [
          { value: name, shown: name === site ? <strong>{name}, your site</strong> : name },
          {
            value: key,
            shown: <code title={key}>{short}</code>,
          },
        ])}
        copyable
      />
    </div>
  );
}
