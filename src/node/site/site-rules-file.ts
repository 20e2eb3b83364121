import { z } from 'zod';
import { DataError } from '../../data-error.ts';
import type { SiteRules } from '../../disclosure/site-rules.ts';
import { disclosureTerms } from '../../study/schema.ts';
import { readIfThere } from '../files/safe-file.ts';

const comparisons = z.literal('forbid').optional();

/** The rules that a site keeps in its folder; a file that cannot be read is refused, since it may ask for more than is known. */
export async function readSiteRules(path: string): Promise<SiteRules | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const { comparisons: compare, ...terms } = JSON.parse(text);
    const forbids = comparisons.parse(compare);
    return { ...disclosureTerms.parse(terms), ...(forbids && { comparisons: forbids }) };
  } catch {
    throw new DataError(
      'the disclosure rules of this site cannot be read',
      { file: path },
      'write JSON such as { "profile": "agency", "comparisons": "forbid" }, or remove the file',
    );
  }
}
