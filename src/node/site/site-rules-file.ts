import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import type { SiteRules } from '../../disclosure/site-rules.ts';
import { readIfThere } from '../files/safe-file.ts';

/** The rules that a site keeps in its folder; a file that cannot be read is refused, since it may ask for more than is known. */
export async function readSiteRules(path: string): Promise<SiteRules | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const { disclosureTerms } = await import('../../study/schema.ts'); // zod takes a tenth of a second to load
  try {
    const { comparisons, ...terms } = JSON.parse(text);
    if (comparisons !== undefined && comparisons !== 'forbid') throw new RangeError('comparisons');
    return { ...disclosureTerms.parse(terms), ...defined({ comparisons }) };
  } catch {
    throw new DataError(
      'the disclosure rules of this site cannot be read',
      { file: path },
      'write JSON such as { "profile": "agency", "comparisons": "forbid" }, or remove the file',
    );
  }
}
