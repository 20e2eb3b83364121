import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FigureProps } from './result-figure.tsx';

const loading = () => import('./result-figure.tsx');

/** A figure, or the space for it. Its script loads after the text of the page, and before Start is pressed. */
export function FigurePlace({
  figure,
  ...rest
}: Omit<FigureProps, 'figure'> & { readonly figure: FigureProps['figure'] | undefined }) {
  const [chart, setChart] = useState<{ readonly Chart: ComponentType<FigureProps> }>();
  useEffect(() => {
    loading().then(
      ({ FigureChart }) => setChart({ Chart: FigureChart }),
      () => {}, // the numbers are below
    );
  }, []);
  return (
    <div class="lab-chart">
      {figure === undefined || chart === undefined ? (
        <p class="lab-empty">Press Start</p>
      ) : (
        <chart.Chart figure={figure} {...rest} />
      )}
    </div>
  );
}
