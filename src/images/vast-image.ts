import { DataError } from '../data-error.ts';

/** Most pixels of an image: more would need too much memory. */
const MOST_PIXELS = 2 ** 25;

/** Refuses an image without pixels, or with more than fit into memory, by what its header says. */
export function refuseVastImage(
  { height, width }: { readonly height: number; readonly width: number },
  file: string,
): void {
  const pixels = height * width;
  if (pixels > 0 && pixels <= MOST_PIXELS) return;
  throw new DataError(
    `the image has ${height} × ${width} pixels`,
    { file },
    `give images of 1 to ${MOST_PIXELS} pixels`,
  );
}
