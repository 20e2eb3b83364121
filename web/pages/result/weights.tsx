import { grouped } from '../../../src/text/number-text.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { numberCell } from './number-text.ts';
import type { SectionProps } from './section-props.ts';

/** How much each site's own coefficients count in the average. */
export function Weights({ shown }: SectionProps) {
  const weights = shown.resolution.report.estimates?.weights ?? [];
  return (
    <DataTable
      label="Weights of the sites"
      columns={[
        { name: 'Site' },
        { name: 'Rows', numeric: true },
        { name: 'Weight', numeric: true },
      ]}
      rows={weights.map(({ site, n, weight }) => [
        { value: site },
        { value: n, shown: grouped(n) },
        numberCell(weight, 4),
      ])}
      sortable
      copyable
      tall={weights.length > 16}
    />
  );
}
