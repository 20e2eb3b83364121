import type { Option, OptionName, OptionOf } from '../option.ts';

/** The flag or command for each option, appended to a remedy. */
export const optionTexts: { readonly [Name in OptionName]: (option: OptionOf<Name>) => string } = {
  encoding: flag('--encoding'),
  decimal: flag('--decimal'),
  'missing-marker': flag('--missing-marker'),
  missing: flag('--missing'),
  columns: flag('--columns'),
  codebook: flag('--save-codebook'),
  resize: flag('--resize'),
  pushdown: flag('--pushdown'),
  'password-file': () => ' (--password-file FILE)',
  ridge: flag('--ridge'),
  'site-effects': flag('--site-effects'),
  refinements: flag('--refinements'),
  force: ({ value }) =>
    value === 'create'
      ? ': suffice study create refuses this study unless forced'
      : '; suffice privacy plan shows how, and --force goes on all the same',
  refine: () => ' (suffice study refine)',
  interval: flag('--interval'),
  site: flag('--site'),
  append: flag('--append'),
  model: ({ value }) =>
    value === 'sealed'
      ? ' (suffice report --out)'
      : ' (suffice fit --save-model, or suffice report --show all --out)',
  bins: flag('--bins'),
  counts: () => ' (suffice evaluate MODEL FILE --out)',
  'insecure-http': () => '; --insecure-http sends the secret and the statistic readable',
  turn: () => ' (--add or --replace)',
  acknowledge: flag('--acknowledge'),
  facts: () => ' (suffice sql --facts)',
  attack: () => '; suffice attack FILE shows why the rules exist',
  contribute: () => ' (suffice contribute)',
  sequence: flag('--sequence'),
  status: () => ' (suffice status)',
  study: () => ' (--study STUDY.json, or --link)',
  'admin-link': () => ' (suffice study create prints it)',
  'operator-token': () => ' (by suffice serve, at its first start)',
  database: flag('--database'),
  tls: () => ' (--tls-cert and --tls-key)',
  port: flag('--port'),
  host: flag('--host'),
  out: flag('--out'),
};

/** A remedy with the flag or command that does it. */
export function withFlags(remedy: string, option: Option | undefined): string {
  if (option === undefined) return remedy;
  const [first, ...facts] = remedy.split('\n');
  const said = `${first.replace(/\.$/, '')}${textOf(option)}${first.endsWith('.') ? '.' : ''}`;
  return [said, ...facts].join('\n');
}

function textOf<Name extends OptionName>(option: OptionOf<Name>): string {
  return optionTexts[option.name](option);
}

function flag(name: string): (option: Option) => string {
  return ({ value, off }) => {
    if (off === true) return ` (no ${name})`;
    return value === undefined ? ` (${name})` : ` (${name} ${value})`;
  };
}
