import { SheetOfImages } from '../../ui/contact-sheet.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { countText } from '../../ui/text.ts';
import type { PredictedImages } from '../../worker/predicted-images.ts';

/** The reader's own images by predicted class, and what each class is taken for. */
export function ImagePredictions({ images }: { readonly images: PredictedImages }) {
  const { sheet, confusion } = images;
  const names = sheet.classes.map(({ name }) => name);
  return (
    <>
      <h3>Some of your images, by predicted class</h3>
      <SheetOfImages sheet={sheet} />
      {confusion !== undefined && (
        <>
          <h3>What each class is taken for</h3>
          <p>{accuracyText(confusion)}</p>
          <DataTable
            label="Images of each class, by predicted class"
            columns={[
              { name: 'class' },
              ...names.map((name) => ({ name: `→ ${name}`, numeric: true })),
              { name: 'right', numeric: true },
            ]}
            rows={confusion.flatMap((row, k) => {
              const all = row.reduce((sum, count) => sum + count, 0);
              if (all === 0) return [];
              const right = { value: row[k] / all, shown: shareText(row[k], all) };
              const cells = row.map((count) => ({
                value: count,
                shown: count === 0 ? '' : countText(count),
              }));
              return [[{ value: names[k] }, ...cells, right]];
            })}
            copyable
          />
        </>
      )}
    </>
  );
}

function accuracyText(confusion: readonly (readonly number[])[]): string {
  const all = confusion.flat().reduce((sum, count) => sum + count, 0);
  const right = confusion.reduce((sum, row, k) => sum + row[k], 0);
  return `${countText(right)} of ${countText(all)} images are predicted right: ${shareText(right, all)}.`;
}

function shareText(part: number, all: number): string {
  return all === 0 ? '' : `${((100 * part) / all).toFixed(1)} %`;
}
