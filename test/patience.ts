/** How long a step may take before a test fails. No test proves speed: the limit is only for what hangs, on any machine. */
export const PATIENCE_MS = 120_000;
