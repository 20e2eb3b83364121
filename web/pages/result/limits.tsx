import type { PartProps } from './part.ts';

/** What one round cannot answer, said plainly, with what to do instead. */
export function Limits({ shown, total }: PartProps) {
  const [, reason] = shown.unavailable;
  const limits = {
    sums: ofSums(total.kind !== 'absent'),
    information: ofGlm,
    none: [],
  };
  const rows = limits[shown.questions];
  return (
    <>
      <p class="prose">{reason}</p>
      {rows.length > 0 && (
        <dl class="limits">
          {rows.map(([what, instead]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{instead}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

type Limit = readonly [what: string, instead: string];

const ofSums = (hasTotal: boolean): readonly Limit[] => [
  [
    'Residual plots, Q–Q plots, leverage and Cook’s distance of rows',
    'Each site can draw its own: take the R or Python file below, apply it to your rows, and plot there.',
  ],
  [
    'Medians, quantiles, histograms of the pooled rows',
    `${hasTotal ? 'Means, SDs and correlations are above' : 'Who runs the study can see means, SDs and correlations'}. Each site sees the histograms of its own rows before it sends.`,
  ],
  [
    'The bootstrap, permutation and rank tests',
    'They draw rows again. Classical and site-clustered errors need no more than was sent.',
  ],
  [
    'Robust regression, heteroskedasticity-robust errors by row (HC0 to HC3)',
    'Errors robust to correlation within sites can be asked of the same sums: suffice report --se clustered.',
  ],
  [
    'Terms that are not in the formula: a square, a logarithm, an interaction',
    'Their sums were never made. Terms can be left out of this study; new ones need a new study.',
  ],
];

const ofGlm: readonly Limit[] = [
  [
    'The exact pooled likelihood',
    'Sites sent the curvature and the top of their own. Another round, one Newton step from here, comes much closer.',
  ],
  [
    'A ridge trace, correlations, means and SDs of the columns',
    'They need sums of products. A study of least squares over the same columns sends those.',
  ],
  [
    'ROC curves and calibration',
    'suffice evaluate counts them at each site, on rows that were held out.',
  ],
  [
    'Residuals and influence of rows',
    'Each site can compute its own from the R or Python file below.',
  ],
];
