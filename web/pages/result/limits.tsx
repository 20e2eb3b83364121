import type { SectionProps } from './section-props.ts';

/** What one round cannot answer, and what to do instead. */
export function Limits({ shown, total }: SectionProps) {
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
    'Each site can draw its own: download the R or Python file below and apply it to your rows.',
  ],
  [
    'Medians, quantiles, histograms of the pooled rows',
    `${hasTotal ? 'Means, SDs and correlations are above' : 'The analyst can see means, SDs and correlations'}. Each site sees the histograms of its own rows before it sends.`,
  ],
  [
    'The bootstrap, permutation and rank tests',
    'They resample rows. Classical and site-clustered errors need only what was sent.',
  ],
  [
    'Robust regression, heteroskedasticity-robust errors by row (HC0 to HC3)',
    'Errors robust to correlation within sites can be computed from the same sums: suffice report --se clustered.',
  ],
  [
    'Terms that are not in the formula: a square, a logarithm, an interaction',
    'Their sums were not sent. A model with fewer terms is possible; new terms need a new study.',
  ],
];

const ofGlm: readonly Limit[] = [
  [
    'The exact pooled likelihood',
    'Sites sent the optimum and the curvature of their own likelihood. Another round, one Newton step from here, comes much closer.',
  ],
  [
    'A ridge trace, correlations, means and SDs of the columns',
    'They need sums of products. A least-squares study with the same columns sends them.',
  ],
  ['ROC curves and calibration', 'suffice evaluate computes them at each site, on held-out rows.'],
  [
    'Residuals and influence of rows',
    'Each site can compute its own from the R or Python file below.',
  ],
];
