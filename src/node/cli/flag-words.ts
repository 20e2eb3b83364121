/** Words of remedies, which name no command, and what to say in their place at a command line. */
export const flagWords: readonly (readonly [words: string, spoken: string])[] = [
  ['ay that its encoding is', 'ay --encoding'],
  ['which encoding the file has', 'which --encoding the file has'],
  ['the decimal mark', 'the decimal mark (--decimal)'],
  ['a missing marker', 'a missing marker (--missing-marker)'],
  ['be dropped', 'be dropped (--missing drop)'],
  [
    'ask for an https:// link',
    'ask for an https:// link; --insecure-http sends the secret and the statistic readable',
  ],
  ['add a ridge', 'add a ridge (--ridge)'],
  ['(1+4 rounds)', '(1+4 rounds: --refinements 4)'],
  [
    'would be mostly noise',
    'would be mostly noise: suffice study create refuses this study unless forced',
  ],
  ['ask for a confidence interval', 'ask for --interval confidence'],
  ['leave the interval out', 'leave out --interval'],
  [
    'save the model again, with its covariances',
    'write it with suffice fit --save-model, or with suffice report --show all --out',
  ],
  [
    'a model saved with its covariances keeps more digits',
    'files of suffice fit --save-model and report --show all keep more digits',
  ],
  ['as it was written', 'as the coordinator or suffice fit --save-model wrote it'],
  ['say whose rows they are', 'say whose rows they are with --site'],
  ['leave the site out', 'leave out --site'],
  ['ask for the predictions alone', 'leave out --append'],
  [
    'say whether the file holds new rows only, or stands in place of all sent before',
    'say --add if the file holds new rows only, --replace if it stands in place of all sent before',
  ],
  [
    'each rule says what would help',
    'each rule above says what would help; suffice attack FILE shows why the rules exist',
  ],
];

/** A remedy as somebody at a command line needs it: with the flag or command that does it. */
export function inFlagWords(remedy: string): string {
  return flagWords.reduce((text, [words, spoken]) => text.replace(words, spoken), remedy);
}
