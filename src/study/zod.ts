import type * as zod from 'zod';

/** The zod library, passed to those who describe JSON with it: loading it takes a tenth of a second. */
export type Zod = typeof zod;
