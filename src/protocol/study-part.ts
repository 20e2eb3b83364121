/** A study as a link names it. */
export interface NamedStudy {
  /** Id of the study: the first sixteen hex digits of its digest. */
  readonly study: string;
  /**
   * Digest of the study, whole. Absent in links of earlier versions, which name the id alone: its 64 bits leave the author
   * of a study room for a second study of the same id.
   */
  readonly digest?: string;
}

const PREFIX = 'sha256:';
const ID_DIGITS = 16;

/** The id of a study: the first sixteen hex digits of its digest. */
export function studyId(digest: string): string {
  return digest.slice(PREFIX.length, PREFIX.length + ID_DIGITS);
}

/** How a link names its study: by the hex digits of its digest, or by its id where no more is known. */
export function studyPart({ study, digest }: NamedStudy): string {
  return digest === undefined ? study : digest.slice(PREFIX.length);
}

/** The study that a part of a link, or of an address, names; undefined if it is neither an id nor a digest. */
export function studyOfPart(part: string): NamedStudy | undefined {
  if (/^[0-9a-f]{16}$/.test(part)) return { study: part };
  if (!/^[0-9a-f]{64}$/.test(part)) return undefined;
  return { study: part.slice(0, ID_DIGITS), digest: PREFIX + part };
}
