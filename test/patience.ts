/**
 * How long a step in a browser may take before a test fails. No test proves speed: the limit is only for what hangs, and
 * is wide, as three test files share two cores.
 */
export const PAGE_MS = 30_000;
