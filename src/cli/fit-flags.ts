import { type Command, Option } from 'commander';
import { withDatabase, withPushdown } from './database-flags.ts';
import { type FeatureFlags, withFeatureFlags } from './feature-flags.ts';
import { choice, decimalFlag, repeatedFlag } from './flags.ts';
import { type Io, pathIn } from './io.ts';
import { type FamilyFlags, withFamily } from './method-flags.ts';
import { type PrivacyFlags, withPrivacy } from './privacy-flags.ts';
import { type QuestionFlags, withQuestions } from './question-flags.ts';

/** Flags of `suffice fit`. */
export interface FitFlags extends FamilyFlags, QuestionFlags, PrivacyFlags, FeatureFlags {
  readonly siteColumn?: string;
  readonly codebook?: string;
  readonly showCodebook?: boolean;
  readonly saveCodebook?: string;
  readonly saveModel?: string;
  readonly weights?: string;
  readonly arithmetic: 'exact' | 'compact';
  readonly grid?: string;
  readonly rounds?: string;
  readonly gap?: boolean;
  readonly missing: 'drop' | 'refuse';
  readonly missingMarker: readonly string[];
  /** NAME=FILE of each party, in a study with a partition. */
  readonly party: readonly string[];
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly threads?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Three command lines that work in the folder of this package. */
export const fitExamples = `
Examples, in the folder of this package:
  suffice fit 'body_mass ~ flipper_length + species' examples/penguins/*.csv
  suffice fit 'sex ~ body_mass + bill_depth' examples/penguins/*.csv --family binomial
  suffice fit examples/penguins/study.json examples/penguins/*.csv --show anova`;

/** Adds the flags of `suffice fit`, in the groups of its help. */
export function withFitFlags(fit: Command, io: Io): Command {
  withModel(fit.optionsGroup('Model:'));
  withData(fit.optionsGroup('Data:'), io);
  withQuestions(fit.optionsGroup('More answers:'));
  withPrivacy(fit.optionsGroup('Privacy:')).option(
    '--force',
    'with --epsilon: fit although the result is mostly noise',
  );
  return withOutput(fit.optionsGroup('Output:'), io).addHelpText('after', fitExamples);
}

function withModel(fit: Command): Command {
  return withFeatureFlags(withFamily(fit))
    .option('--weights <column>', 'weights of the rows')
    .addOption(choice('--arithmetic <kind>', 'how the statistic is held', ['exact', 'compact']))
    .addOption(
      new Option(
        '--grid <bits>',
        'bits of the exact grid; finer by itself when digits run short',
      ).choices(['22', '44', '66', '88']),
    )
    .option(
      '--rounds <n>',
      'with --family: rounds; each after the first is one Newton step (default: until it has converged)',
    )
    .option('--gap', 'with --family: measure how far the model is from the pooled one');
}

function withData(fit: Command, io: Io): Command {
  return withPushdown(withDatabase(fit, io), io)
    .option(
      '--site-column <column>',
      'the column that names each row’s site, instead of one site a file',
    )
    .option(
      '--codebook <file>',
      'JSON codebook; drafted from all files together when absent',
      pathIn(io),
    )
    .addOption(choice('--missing <rule>', 'rows with missing cells', ['drop', 'refuse']))
    .option(
      '--missing-marker <text>',
      'one more text that means missing (repeatable)',
      repeatedFlag,
      [],
    )
    .option(
      '--party <name=file>',
      'with a study whose parties hold different columns: the file of one party (repeatable)',
      repeatedFlag,
      [],
    )
    .option('--encoding <name>', 'encoding of the text files, such as latin1')
    .addOption(decimalFlag())
    .option('--threads <n>', 'threads to read with');
}

function withOutput(fit: Command, io: Io): Command {
  return fit
    .option(
      '--save-model <file>',
      'write study, report and answers, for suffice predict and suffice export',
      pathIn(io),
    )
    .option('--show-codebook', 'print the codebook')
    .option('--save-codebook <file>', 'write the codebook', pathIn(io))
    .option('--dry-run', 'show what would be computed; compute nothing')
    .option('--json', 'print the report as JSON')
    .option('--quiet', 'no progress bar');
}
