import { useId, useState } from 'preact/hooks';
import { grouped, significant } from '../../../src/model/number-text.ts';
import type { ShownResult } from '../../desk/result-overview.ts';
import { pText } from './number-text.ts';
import type { PartProps } from './part.ts';

type Name = keyof PartProps['shown']['responses'][number]['glance'];

/** R's names, as broom's glance() has them, each with what it means. */
const meanings: readonly (readonly [Name, string])[] = [
  ['r.squared', 'Share of the variation of the response that the model explains.'],
  ['adj.r.squared', 'The same, taking off what as many random columns would explain by chance.'],
  [
    'sigma',
    'Residual standard error: how far a typical row is from the model, in units of the response.',
  ],
  ['statistic', 'F of all slopes together against no slope at all.'],
  ['p.value', 'How often chance alone would give so large an F.'],
  ['df', 'Slopes that F tests.'],
  ['logLik', 'Logarithm of the likelihood at the coefficients; larger is a better fit.'],
  [
    'AIC',
    'Akaike’s criterion: fit and size together; smaller is better, between models of the same rows.',
  ],
  ['BIC', 'Bayesian criterion: as AIC, but harder on large models.'],
  ['null.deviance', 'Twice the log-likelihood lost by a model that has only an intercept.'],
  ['deviance', 'What is left: the residual sum of squares, or its counterpart of a likelihood.'],
  ['df.residual', 'Rows beyond what the coefficients use up.'],
  ['nobs', 'Rows used.'],
];

interface Figure {
  readonly name: string;
  readonly meaning: string;
  readonly text: string;
}

/** The fit in one line, for those who know it from R and for those who do not. */
export function Glance({ shown, response }: PartProps) {
  const id = useId();
  const [told, setTold] = useState<Figure>();
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
                aria-pressed={told?.name === figure.name}
                onClick={() => setTold(figure)}
                onFocus={() => setTold(figure)}
                onPointerEnter={() => setTold(figure)}
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
        {told === undefined ? (
          'R’s names. Press one to read what it means.'
        ) : (
          <>
            <code>{told.name}</code> {told.meaning}
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
  meaning: 'Effective degrees of freedom: coefficients the penalty leaves room for.',
};
const crossValidation = {
  name: 'gcv',
  meaning: 'Generalised cross-validation: expected squared error of a new row; smaller is better.',
};
const keptSlopes = { name: 'nonzero', meaning: 'Slopes that the lasso keeps.' };

function textOf(name: Name, value: number, noisy: boolean): string {
  if (name === 'p.value') return pText(value);
  if (name === 'nobs' || name === 'df') return grouped(value);
  if (name === 'df.residual' && Number.isInteger(value)) return grouped(value);
  const long = name === 'logLik' || name === 'AIC' || name === 'BIC';
  return significant(value, noisy ? 2 : long ? 7 : 5);
}
