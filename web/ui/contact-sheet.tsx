import { useEffect, useRef } from 'preact/hooks';
import type { ContactSheet, Thumbnail } from '../worker/contact-sheet.ts';
import { countText } from './text.ts';

/** Some images of each class, as the tab read them. */
export function SheetOfImages({ sheet }: { readonly sheet: ContactSheet }) {
  const { height, width, classes } = sheet;
  const present = classes.filter(({ count }) => count > 0);
  const absent = classes.filter(({ count }) => count === 0);
  return (
    <div class="stack">
      <ul class="sheet" aria-label="Images of each class">
        {present.map(({ name, count, images }) => (
          <li key={name}>
            <p>
              <strong>{name}</strong> <span class="soft number">{countText(count)}</span>
            </p>
            <div class="sheet-images">
              {images.map((pixels, k) => (
                <PixelImage
                  key={`${name} ${k}`}
                  pixels={pixels}
                  height={height}
                  width={width}
                  label={`image ${k + 1} of class ${name}`}
                />
              ))}
            </div>
          </li>
        ))}
      </ul>
      {absent.length > 0 && (
        <p class="soft">No images of {absent.map(({ name }) => name).join(', ')}.</p>
      )}
    </div>
  );
}

/** An image from its pixels, drawn by this tab. */
export function PixelImage({
  pixels,
  height,
  width,
  label,
}: {
  readonly pixels: Thumbnail;
  readonly height: number;
  readonly width: number;
  readonly label: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [pixels, height, width]);
  return (
    <canvas
      ref={canvas}
      class="picture"
      width={width}
      height={height}
      role="img"
      aria-label={label}
    />
  );
}
