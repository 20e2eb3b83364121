import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { type FamilyFlags, fusionOf, withFamily } from '../src/cli/method-flags.ts';
import { type QuestionFlags, questionsOf, withQuestions } from '../src/cli/question-flags.ts';
import { splitList } from '../src/cli/split-list.ts';

/** What `suffice fit` understands of these flags. */
function understood(...args: readonly string[]) {
  const command = withQuestions(withFamily(new Command())).exitOverride();
  const flags = command.parse(args, { from: 'user' }).opts<FamilyFlags & QuestionFlags>();
  return { fusion: fusionOf(flags), questions: questionsOf(flags) };
}

/** The problem and what to do about it. */
function complaint(...args: readonly string[]): string {
  try {
    understood(...args);
  } catch (failure) {
    const { message, remedy } = failure as Error & { readonly remedy?: string };
    return `${message}\n  → ${remedy}`;
  }
  return '';
}

describe('flags of a method and of questions', () => {
  it.each([
    [['--folds', '3'], '--folds belongs to --ridge kfold'],
    [['--one-se', '--ridge', 'gcv'], '--one-se belongs to'],
    [['--ridge', '1', '--lasso', '1'], 'two penalties'],
    [['--family', 'binomial', '--lasso', '1'], '--lasso belongs to --family gaussian'],
    [['--prior', 'firth'], '--prior belongs to --family'],
    [['--at', 'sex'], '--at has no value'],
    [['--level', '2', '--at', 'sex=male'], '--level must lie between'],
    [['--ridge', 'best'], 'try --ridge gcv'],
    [['--show', 'heterogenity'], 'did you mean heterogeneity?'],
    [['--show', 'contrast'], 'take --contrast'],
    [['--show', 'poetry'], 'it knows all, anova'],
    [['--standardize'], '--standardize belongs to --ridge or --lasso'],
    [['--level', '0.9'], '--level belongs to --at'],
    [['--ridge', '1', '--site-effects', 'fixed'], 'do not go together'],
    [['--se', 'clustered', '--site-effects', 'random'], 'already accounts'],
    [['--lasso', '-1'], '--lasso must be a number ≥ 0 or loso: -1'],
    [['--ridge', '1e400'], '--ridge must be a number ≥ 0, gcv, loso, kfold or ml'],
    [['--trend', ''], '--trend is empty'],
    [['--contrast', 'a, '], '--contrast has an empty part'],
    [['--contrast', '`a, b'], 'lacks a closing `'],
    [['--at', 'x=1, x=2'], '--at gives x twice'],
    [['--contrast', 'I(x > 2'], 'lacks a closing )'],
    [['--at', 'city=Paris, France'], 'city="Paris, France"'],
    [['--folds', '1', '--ridge', 'kfold'], '--folds must be at least 2'],
    [['--mix', '', '--lasso', '1'], '--mix must lie in (0, 1]: ""'],
  ])('refuses %j', (flags, problem) => {
    expect(complaint(...flags)).toContain(problem);
  });

  it.each([
    ['city=São Paulo, dose given=1', { city: 'São Paulo', 'dose given': 1 }],
    ['city="Paris, France", `dose given`=1', { city: 'Paris, France', 'dose given': 1 }],
    ["`dose given` = -1.5e0 , city = L'Aquila", { city: "L'Aquila", 'dose given': -1.5 }],
    ['ward="12", `a=b`=0x10', { ward: '12', 'a=b': '0x10' }],
  ])('reads --at %s', (text, at) => {
    expect(understood('--at', text).questions).toEqual([{ about: 'prediction', at }]);
  });

  it('parts lists by commas, but not inside quotes, backticks or parentheses', () => {
    expect(splitList('a - b , `x, y` = 2, f(x, (y, z))', '--contrast')).toEqual([
      'a - b',
      '`x, y` = 2',
      'f(x, (y, z))',
    ]);
  });

  it('takes rules by their short names', () => {
    const { fusion } = understood('--ridge', 'loso', '--one-se', '--se', 'clustered');
    expect(fusion).toEqual({
      kind: 'ridge',
      ridge: 'leave-one-site-out',
      prefer: 'one-standard-error',
      errors: 'clustered',
    });
  });
});
