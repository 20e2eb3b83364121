import { nearNames } from '../study/near-names.ts';
import { isMissingWord } from '../table/missing-words.ts';

/** A level that a text of the file may stand for. */
export interface NearLevel {
  readonly level: string;
  /** How the two differ. */
  readonly why: string;
}

/** The level of the study that a text most likely stands for; undefined where none or several come close. */
export function nearLevel(text: string, levels: readonly string[]): NearLevel | undefined {
  const only = (why: string, same: (level: string) => boolean): NearLevel | undefined => {
    const [level, second] = levels.filter(same);
    return level === undefined || second !== undefined ? undefined : { level, why };
  };
  const trimmed = bare(text);
  if (trimmed === '') return undefined;
  return (
    only('differs by blanks or hidden characters', (level) => bare(level) === trimmed) ??
    only('differs by case', (level) => lower(level) === lower(text)) ??
    only('says the same', (level) => sameAnswer(lower(text), lower(level), levels)) ??
    only('the text is its beginning', (level) => lower(level).startsWith(lower(text))) ??
    only(
      'the text begins with it',
      (level) => level !== '' && lower(text).startsWith(lower(level)),
    ) ??
    misspelt(text, levels)
  );
}

function misspelt(text: string, levels: readonly string[]): NearLevel | undefined {
  const near = text.length < 3 ? [] : nearNames(text, levels);
  return near.length === 1 ? { level: near[0], why: 'spelled nearly alike' } : undefined;
}

/** Without blanks around it and hidden characters in it, in one Unicode form. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
}

function lower(text: string): string {
  return bare(text).toLowerCase();
}

const answers: readonly ReadonlySet<string>[] = [
  new Set(['true', 't', 'yes', 'y', '1', 'ja', 'oui', 'si', 'sí']),
  new Set(['false', 'f', 'no', 'n', '0', 'nein', 'non']),
];

/** Whether both say yes or both say no, in a column of two levels that are such answers. */
function sameAnswer(text: string, level: string, levels: readonly string[]): boolean {
  const isAnswer = (one: string) => answers.some((words) => words.has(lower(one)));
  if (levels.length !== 2 || !levels.every(isAnswer)) return false;
  return answers.some((words) => words.has(text) && words.has(level));
}

/** Words that are only proposed as missing, beside those that a reader takes for it among numbers. */
const proposedWords =
  /^([-–—.?*#x]+|#?n\/?a!|n\.a\.|k\.?a\.?|unk|not (done|known|available|recorded)|unbekannt|fehlt|fehlend|keine angaben?|n\.?b\.?|nicht (bekannt|erhoben|vorhanden)|inconnue?|-?9{1,4})$/i;

/** Whether people often write this where there is no value. */
export function isLikelyMissing(text: string): boolean {
  return isMissingWord(bare(text)) || proposedWords.test(bare(text));
}
