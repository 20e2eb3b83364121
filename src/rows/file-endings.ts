/** Endings of the files that a reader in `sources.ts` knows, as a file chooser takes them. */
export const fileEndings = '.csv,.tsv,.txt,.parquet';
