import { useRef, useState } from 'preact/hooks';
import type { RuleId } from '../../../src/disclosure/rule.ts';
import type { Sent } from '../../desk/approval.ts';
import { ask } from '../../desk/call.ts';
import type { ReadingWishes } from '../../desk/join.ts';
import type { Progress } from '../../desk/progress.ts';
import type { ReadingTold } from '../../desk/reading-told.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import { download } from '../../ui/download.ts';

/** Where a visit is. */
export type Phase =
  /** `returned` where someone came back to choose another file. */
  | { readonly at: 'file'; readonly trouble?: Trouble; readonly returned: boolean }
  | { readonly at: 'reading'; readonly file: File; readonly progress?: Progress }
  | { readonly at: 'read'; readonly reading: ReadingTold; readonly busy: boolean }
  /** `waits` where the approved bytes are kept and can go again; undefined where the desk has stopped and cannot say. */
  | { readonly at: 'unsent'; readonly trouble: Trouble; readonly waits: boolean | undefined }
  | { readonly at: 'sent'; readonly sent: Sent }
  | { readonly at: 'saved'; readonly name: string };

export interface VisitState {
  readonly phase: Phase;
  readonly wishes: ReadingWishes;
  wish(wishes: ReadingWishes): void;
  read(file: File, again?: 'add' | 'replace'): void;
  /** Reads the last file once more, in another way. */
  readAgain(change: Partial<ReadingWishes>, again?: 'add' | 'replace'): void;
  cancel(): void;
  anotherFile(): void;
  send(acknowledged: readonly RuleId[]): void;
  save(acknowledged: readonly RuleId[], name: string): void;
  sent(sent: Sent): void;
}

/** Moves a visit from step to step; the desk does the work. */
export function useVisit(): VisitState {
  const [phase, setPhase] = useState<Phase>({ at: 'file', returned: false });
  const [wishes, setWishes] = useState<ReadingWishes>({ missing: 'drop' });
  const last = useRef<File | undefined>(undefined);
  const control = useRef<AbortController | undefined>(undefined);

  const read = async (file: File, given: ReadingWishes) => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    last.current = file;
    setPhase({ at: 'reading', file });
    const present = () => control.current === own;
    try {
      const reading = await ask('readSiteFile', [file, given], {
        signal: own.signal,
        onNews: (progress) => present() && setPhase({ at: 'reading', file, progress }),
      });
      if (present()) setPhase({ at: 'read', reading, busy: false });
    } catch (failure) {
      if (present()) setPhase({ at: 'file', trouble: troubleOf(failure), returned: true });
    }
  };
  const withTurn = (given: ReadingWishes, again: 'add' | 'replace' | undefined) =>
    again === undefined ? given : { ...given, again };

  /** Sending and saving; where it fails, the desk knows whether what was approved is kept. */
  const leave = async (act: () => Promise<Phase>) => {
    if (phase.at !== 'read' || phase.busy) return;
    setPhase({ ...phase, busy: true });
    // From now on there is a key and a ledger that must not be lost when the device runs out of room.
    void navigator.storage?.persist?.().catch(() => false);
    try {
      setPhase(await act());
    } catch (failure) {
      const waits = await ask('isWaiting', []).catch(() => undefined);
      setPhase({ at: 'unsent', trouble: troubleOf(failure), waits });
    }
  };

  return {
    phase,
    wishes,
    wish: setWishes,
    read: (file, again) => void read(file, withTurn(wishes, again)),
    readAgain(change, again) {
      if (last.current === undefined) return;
      const changed = { ...wishes, ...change };
      setWishes(changed);
      void read(last.current, withTurn(changed, again));
    },
    cancel: () => control.current?.abort(),
    anotherFile: () => setPhase({ at: 'file', returned: true }),
    send: (acknowledged) =>
      void leave(async () => ({
        at: 'sent',
        sent: await ask('sendContribution', [acknowledged]),
      })),
    save: (acknowledged, name) =>
      void leave(async () => {
        const file = await ask('saveContribution', [acknowledged, name]);
        download(name, [file as Uint8Array<ArrayBuffer>], 'application/octet-stream');
        return { at: 'saved', name };
      }),
    sent: (sent) => setPhase({ at: 'sent', sent }),
  };
}
