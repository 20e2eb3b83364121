import { useId, useState } from 'preact/hooks';
import { grouped, significant } from '../../../src/text/number-text.ts';
import type { ShownResult } from '../../worker/result-overview.ts';
import { pValueText } from './number-text.ts';
import type { SectionProps } from './section-props.ts';

type Name = keyof SectionProps['shown']['responses'][number]['glance'];

/** R's names, as broom's glance() has them, each with what it means. */
const meanings: readonly (readonly [Name, string])[] = [
  ['r.squared', 'Share of the variation of the response that the model explains.'],
  [
    'adj.r.squared',
    'The same, minus what the same number of random columns would explain by chance.',
  ],
  [
    'sigma',
    'Residual standard error: how far a typical row is from the model, in units of the response.',
  ],
  ['statistic', 'F of all slopes together against no slope at all.'],
  ['p.value', 'Probability of an F at least this large by chance alone.'],
  ['df', 'Number of slopes in the F test.'],
  ['logLik', 'Logarithm of the likelihood at the coefficients; larger is a better fit.'],
  [
    'AIC',
    'Akaike’s criterion: fit and size together. Smaller is better, among models of the same rows.',
  ],
  ['BIC', 'Bayesian criterion: as AIC, but harder on large models.'],
  ['null.deviance', 'Twice the log-likelihood lost by a model that has only an intercept.'],
  ['deviance', 'Residual sum of squares, or its counterpart for a likelihood.'],
  ['df.residual', 'Number of rows minus number of coefficients.'],
  ['nobs', 'Rows used.'],
];

interface Figure {
  readonly name: string;
  readonly meaning: string;
  readonly text: string;
}

/** The fit in one line, with R's names and their meanings. */
export function GlanceSection({ shown, response }: SectionProps) {
  const id = useId();
  const [explained, setExplained] = useState<Figure>();
  const figures = figuresOf(shown, response);
  return (
    <div class="glance">
      <dl>
        {figures.map((figure) => (
          <div key={figure.name}>
            <dt>
              <button
                type="button"
                aria-describedby={`${id}-${figure.name}`}
                aria-pressed={explained?.name === figure.name}
                onClick={() => setExplained(figure)}
                onFocus={() => setExplained(figure)}
                onPointerEnter={() => setExplained(figure)}
              >
                {figure.name}
              </button>
              <span hidden id={`${id}-${figure.name}`}>
                {figure.meaning}
              </span>
            </dt>
            <dd>{figure.text}</dd>
          </div>
        ))}
      </dl>
      <p class="small soft" aria-hidden="true">
        {explained === undefined ? (
          'R’s names. Press one to read what it means.'
        ) : (
          <>
            <code>{explained.name}</code> {explained.meaning}
          </>
        )}
      </p>
    </div>
  );
}

function figuresOf({ responses, resolution }: ShownResult, response: number): readonly Figure[] {
  const { glance } = responses[response];
  const { ridge, lasso, privacy } = resolution.report;
  return [
    ...meanings.flatMap(([name, meaning]) => {
      const value = glance[name];
      if (value === undefined || value === null) return [];
      return [{ name, meaning, text: textOf(name, value, privacy !== undefined) }];
    }),
    ...(ridge?.edf === undefined ? [] : [{ ...effectiveFreedom, text: significant(ridge.edf) }]),
    ...(ridge?.gcv === undefined ? [] : [{ ...crossValidation, text: significant(ridge.gcv) }]),
    ...(lasso === undefined ? [] : [{ ...keptSlopes, text: String(lasso.nonzero) }]),
  ];
}

const effectiveFreedom = {
  name: 'edf',
  meaning: 'Effective degrees of freedom under the penalty.',
};
const crossValidation = {
  name: 'gcv',
  meaning: 'Generalised cross-validation: expected squared error of a new row; smaller is better.',
};
const keptSlopes = { name: 'nonzero', meaning: 'Slopes that the lasso keeps.' };

function textOf(name: Name, value: number, noisy: boolean): string {
  if (name === 'p.value') return pValueText(value);
  if (name === 'nobs' || name === 'df') return grouped(value);
  if (name === 'df.residual' && Number.isInteger(value)) return grouped(value);
  if (noisy) return significant(value, 2);
  return significant(value, name === 'logLik' || name === 'AIC' || name === 'BIC' ? 7 : 5);
}
