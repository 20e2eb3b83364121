import { figure } from '../../src/export/html-table.ts';
import { drawing, WIDTH } from '../../src/export/svg/drawing.ts';
import { label } from '../../src/export/svg/label.ts';
import type { ResultPictures } from '../paper-result.ts';

const GAP = 3;
const NAME_HEIGHT = 18;
/** Greys that are drawn, by the least digit of each. */
const greys = [
  { least: 2, opacity: 0.25 },
  { least: 4, opacity: 0.5 },
  { least: 6, opacity: 0.75 },
  { least: 8, opacity: 1 },
] as const;

/** Rows of small images, each below its name. */
export function pictureSheet({ title, side, rows }: ResultPictures): string {
  const most = Math.max(1, ...rows.map(({ images }) => images.length));
  const scale = Math.min(1.5, WIDTH / (most * (side + GAP)));
  const height = NAME_HEIGHT + side * scale + 8;
  const parts = rows.flatMap(({ name, images }, k) => [
    label(name, { x: 0, y: k * height + 12, style: 'soft', width: WIDTH }),
    `<g transform="translate(0 ${k * height + NAME_HEIGHT}) scale(${scale})" fill="none" stroke="currentColor">`,
    ...greys.map((_, grey) => strokes(images, side, grey)),
    '</g>',
  ]);
  const description = rows.map(({ name, images }) => `${name}: ${images.length}`).join('; ');
  return figure(title, '', drawing({ title, description }, rows.length * height, parts));
}

/** The pixels of one grey, as short lines. */
function strokes(images: readonly string[], side: number, grey: number): string {
  const { least, opacity } = greys[grey]!;
  const above = greys[grey + 1]?.least ?? 10;
  const runs: string[] = [];
  images.forEach((image, place) => {
    const isDrawn = (k: number) => Number(image[k]) >= least && Number(image[k]) < above;
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; ) {
        let to = x;
        while (to < side && isDrawn(y * side + to)) to++;
        if (to > x) runs.push(`M${place * (side + GAP) + x} ${y}.5h${to - x}`);
        x = to + 1;
      }
    }
  });
  return `<path stroke-opacity="${opacity}" d="${runs.join('')}"/>`;
}
