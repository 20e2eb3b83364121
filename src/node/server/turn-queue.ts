/** Tasks that wait, by study. Studies have their turns one after the other, so one that sends much does not hold up another. */
export interface TurnQueue<Task> {
  add(study: string, bytes: number, task: Task): void;
  /** The next tasks, at most `most`; none after `mostBytes` are reached. */
  take(most: number, mostBytes: number): Task[];
  readonly length: number;
}

interface Entry<Task> {
  readonly bytes: number;
  readonly task: Task;
}

export function createTurnQueue<Task>(): TurnQueue<Task> {
  /** In the order of their turns. */
  const lines = new Map<string, Entry<Task>[]>();
  let length = 0;
  const next = (): Entry<Task> => {
    const [study, line] = lines.entries().next().value as [string, Entry<Task>[]];
    const entry = line.shift() as Entry<Task>;
    lines.delete(study);
    if (line.length > 0) lines.set(study, line);
    length -= 1;
    return entry;
  };
  return {
    add(study, bytes, task) {
      const line = lines.get(study);
      if (line === undefined) lines.set(study, [{ bytes, task }]);
      else line.push({ bytes, task });
      length += 1;
    },
    take(most, mostBytes) {
      const taken: Task[] = [];
      for (let bytes = 0; length > 0 && taken.length < most && bytes < mostBytes; ) {
        const entry = next();
        bytes += entry.bytes;
        taken.push(entry.task);
      }
      return taken;
    },
    get length() {
      return length;
    },
  };
}
