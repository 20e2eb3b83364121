/** Queries that wait for a server, by what ends them there. */
const running = new Set<() => Promise<void>>();
let isStopped = false;

/** Runs work that waits for a server; once the queries are cancelled, it never ends. */
export async function whileRunning<T>(
  cancel: () => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  running.add(cancel);
  try {
    const result = await work();
    return isStopped ? await new Promise<T>(() => {}) : result;
  } catch (error) {
    // What a cancelled query says is no news to who has cancelled it.
    return isStopped ? await new Promise<T>(() => {}) : await Promise.reject(error);
  } finally {
    running.delete(cancel);
  }
}

/** Milliseconds that a server has to hear of it. */
const PATIENCE = 5000;

/** Ends all queries at their servers; the process is about to end. */
export async function cancelQueries(): Promise<void> {
  isStopped = running.size > 0;
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE).unref());
  await Promise.race([Promise.all([...running].map((cancel) => cancel().catch(() => {}))), late]);
}
