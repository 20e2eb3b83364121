import { hiddenCharacter, visibleText } from '../text/visible-text.ts';
import { isImageStudy } from './image-study.ts';
import { isTableStudy, type Study } from './study.ts';

/** A text of a study with a character that nobody can see. */
export interface HiddenCharacter {
  /** Its place in the study's JSON. */
  readonly path: readonly (string | number)[];
  /** Names the text and the code point. */
  readonly problem: string;
}

/** What to do about it. */
export const HIDDEN_REMEDY = 'remove the character; a reader could not see what they agree to';

/**
 * Texts of a study with hidden characters, which a new study may not have. Studies of earlier versions may: they open, and
 * are shown with the characters written out.
 */
export function hiddenCharacters(study: Study): readonly HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  const look = (
    path: HiddenCharacter['path'],
    noun: string,
    text: string | undefined,
    within: 'text' | 'name' | 'formula',
  ) => {
    const character = text === undefined ? undefined : hiddenCharacter(text, within);
    if (character === undefined) return;
    found.push({ path, problem: `${noun} has the hidden character ${character}` });
  };
  look(['name'], 'the name of the study', study.name, 'text');
  if (isImageStudy(study)) {
    study.data.classes.forEach((name, k) => {
      look(['data', 'classes', k], `class ${k + 1}`, name, 'text');
    });
  }
  if (!isTableStudy(study)) return found;
  look(['formula'], 'the formula', study.formula, 'formula');
  for (const [name, column] of Object.entries(study.codebook)) {
    const path = ['codebook', name];
    const noun = `column "${visibleText(name)}"`;
    look(path, `the name of ${noun}`, name, 'name');
    if (column.type === 'number')
      look([...path, 'unit'], `the unit of ${noun}`, column.unit, 'text');
    const { levels = [], missing = [] } = column;
    levels.forEach((level, k) => {
      look([...path, 'levels', k], `level ${k + 1} of ${noun}`, level, 'text');
    });
    missing.forEach((marker, k) => {
      look([...path, 'missing', k], `missing marker ${k + 1} of ${noun}`, marker, 'text');
    });
  }
  return found;
}
