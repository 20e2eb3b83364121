import { addressOf } from '../../tab/own-address.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { DataTable } from '../../ui/data-table.tsx';
import type { ShownResult } from '../../worker/result-overview.ts';
import { numberCell } from './number-text.ts';
import { Section } from './section.tsx';
import { columnText } from './term-name.tsx';

/** The classes of a model of images. Coefficients of pixels tell a reader nothing, so the fit of each class is shown. */
export function Classes({
  shown,
  link,
}: {
  readonly shown: ShownResult;
  readonly link: StudyLink;
}) {
  return (
    <Section
      id="classes"
      title="Classes"
      about="How much of the difference between images of a class and all others the model explains, on the images it was fitted to."
    >
      <DataTable
        label="Classes"
        columns={[{ name: 'class' }, { name: 'R-squared', numeric: true }]}
        rows={shown.responses.map(({ response, glance }) => [
          { value: response, shown: columnText(shown.names, response) },
          numberCell(glance['r.squared']),
        ])}
        copyable
        tall={shown.responses.length > 16}
      />
      <p>
        <a href={addressOf('predict', link)}>Try the model on your own images</a>: the page shows
        them with their predicted classes, and what each class is taken for. They stay in your tab.
      </p>
    </Section>
  );
}
