import { shapeText } from '../../../src/study/image-study.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { type PlannedImages, withoutImages } from '../../worker/plan.ts';
import type { Planning } from './use-plan.ts';

/** The images of a study and their classes, in place of a formula. */
export function ImageFields({
  planning,
  images,
}: {
  readonly planning: Planning;
  readonly images: PlannedImages;
}) {
  const { change, revise, problemOf } = planning;
  const set = (part: Partial<PlannedImages>) => change({ images: { ...images, ...part } });
  return (
    <>
      <p>
        Which class does an image show? The study learns it from{' '}
        <strong>{shapeText(images)}</strong>.
      </p>
      <TextField
        label="Classes"
        hint="One on each line, in the order of the labels 0, 1, … Add those that only other sites have. An image of another class is refused."
        value={images.classes}
        problem={problemOf('images')}
        onInput={(classes) => set({ classes })}
        lines={6}
      />
      <CheckField
        checked={images.resize !== undefined}
        onChange={(checked) => {
          const { resize: _, ...rest } = images;
          change({ images: checked ? { ...rest, resize: 'bilinear' } : rest });
        }}
      >
        Resize images of another size; otherwise they are refused
      </CheckField>
      <div class="row">
        <Button kind="quiet" onClick={() => revise(withoutImages)}>
          Ask about a table instead
        </Button>
      </div>
    </>
  );
}
