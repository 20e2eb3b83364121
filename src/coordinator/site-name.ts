import { type Agreement, codebookIn } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { hiddenCharacter } from '../text/visible-text.ts';

const NAME = /^(?!\.{1,2}$)(?!\s)[^\p{Cc}\p{Cs}/\\]{1,64}(?<!\s)$/u;

/** Refuses an invalid site name; in a study with site effects, also a name that is not one of its levels. */
export function requireSiteName(name: string, agreed: Agreement): void {
  if (!NAME.test(name)) {
    throw new Refusal(
      'bad-request',
      'a site’s name has 1–64 characters, no slash, no control character, no space at either end',
      'choose another name for the site',
    );
  }
  const column = codebookIn(agreed)[SITE_COLUMN];
  if (!agreed.columns.some((one) => one.name === SITE_COLUMN) || column?.type !== 'category')
    return;
  if (!column.levels.includes(name)) {
    throw new Refusal(
      'unprocessable',
      `the study has no effect for a site named ${name}`,
      `its sites are ${column.levels.join(', ')}; another site needs another study`,
    );
  }
}

/** Refuses a new site whose name has a character that nobody can see. Sites of earlier versions may have some, and stay. */
export function refuseHiddenName(name: string): void {
  const character = hiddenCharacter(name, 'name');
  if (character === undefined) return;
  throw new Refusal(
    'bad-request',
    `a site’s name has the hidden character ${character}`,
    'choose another name for the site',
  );
}
