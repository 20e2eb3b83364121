/**
 * A key as it is compared. In this order: Unicode NFKC, case folded (upper case, then lower case, so that ß is ss), NFKC again, and all
 * white space removed, inside too ("943 476 5919" is "9434765919"). Nothing else: hyphens, accents and leading zeros count.
 */
export function normalisedKey(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replace(/\s+/gu, '');
}
