import { useRef, useState } from 'preact/hooks';
import type { Acknowledgement } from '../../../src/disclosure/acknowledgement.ts';
import type { FileExplanation } from '../../../src/site/file-explanation.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import type { Chosen } from '../../tab/chosen-files.ts';
import { download } from '../../ui/download.ts';
import type { SentView } from '../../worker/approval.ts';
import { call } from '../../worker/call.ts';
import type { ExchangeView } from '../../worker/exchange-view.ts';
import type { ReadingOptions } from '../../worker/join.ts';
import type { UploadView } from '../../worker/join-session.ts';
import type { TrainingView, WorkProgress } from '../../worker/progress.ts';
import type { PartyReadingView, ReadingView } from '../../worker/reading-view.ts';

/** The phase of a site's session. */
export type Phase =
  /** `returned`: the person came back to choose another file. */
  | {
      readonly at: 'file';
      readonly failure?: PageFailure;
      readonly explanation?: FileExplanation | undefined;
      /** The training that was stopped. */
      readonly training?: TrainingView | undefined;
      readonly returned: boolean;
    }
  | { readonly at: 'reading'; readonly file: Chosen; readonly progress?: WorkProgress }
  | {
      readonly at: 'read';
      readonly reading: ReadingView | PartyReadingView;
      readonly busy: boolean;
      /** While a large contribution is sent. */
      readonly upload?: UploadView;
    }
  /** A party takes part, and waits for the others. */
  | {
      readonly at: 'exchanging';
      readonly acknowledged: readonly Acknowledgement[];
      readonly view?: ExchangeView;
    }
  /** The exchange has stopped; the same file goes on. */
  | {
      readonly at: 'stopped';
      readonly acknowledged: readonly Acknowledgement[];
      readonly failure: PageFailure;
    }
  /** `waits`: the approved bytes are kept and can be sent again; undefined if the worker has stopped and cannot say. */
  | { readonly at: 'unsent'; readonly failure: PageFailure; readonly waits: boolean | undefined }
  | { readonly at: 'sent'; readonly sent: SentView }
  | { readonly at: 'saved'; readonly name: string };

export interface SessionState {
  readonly phase: Phase;
  readonly options: ReadingOptions;
  setOptions(options: ReadingOptions): void;
  read(file: Chosen, again?: 'add' | 'replace'): void;
  /** Reads the last file again with other options. */
  readAgain(change: Partial<ReadingOptions>, again?: 'add' | 'replace'): void;
  cancel(): void;
  anotherFile(): void;
  send(acknowledged: readonly Acknowledgement[]): void;
  save(acknowledged: readonly Acknowledgement[], name: string): void;
  /** Takes part in the exchange between parties; goes on where it was. */
  takePart(acknowledged: readonly Acknowledgement[]): void;
  sent(sent: SentView): void;
}

/** A site's session, phase by phase; the worker does the work. */
export function useSession(): SessionState {
  const [phase, setPhase] = useState<Phase>({ at: 'file', returned: false });
  const [options, setOptions] = useState<ReadingOptions>({ missing: 'drop' });
  const last = useRef<Chosen | undefined>(undefined);
  const control = useRef<AbortController | undefined>(undefined);

  const read = async (file: Chosen, given: ReadingOptions) => {
    control.current?.abort();
    const own = new AbortController();
    control.current = own;
    last.current = file;
    setPhase({ at: 'reading', file });
    const present = () => control.current === own;
    let training: TrainingView | undefined;
    const watching = {
      signal: own.signal,
      onUpdate(progress: WorkProgress) {
        training = progress.training;
        if (present()) setPhase({ at: 'reading', file, progress });
      },
    };
    try {
      const reading = await call('readSiteFile', [file, given], watching);
      if (present()) setPhase({ at: 'read', reading, busy: false });
    } catch (error) {
      const failure = pageFailureOf(error);
      const misfits = [...new Set(failure.mismatches?.map(({ column }) => column))];
      const explanation =
        misfits.length === 0
          ? undefined
          : await call('explainSiteFile', [file, given, misfits], watching).catch(() => undefined);
      if (present()) setPhase({ at: 'file', failure, explanation, training, returned: true });
    }
  };
  const withMode = (given: ReadingOptions, again: 'add' | 'replace' | undefined) =>
    again === undefined ? given : { ...given, again };

  /** Sends or saves. If it fails, the worker says whether the approved contribution is kept. */
  const submit = async (act: () => Promise<Phase>) => {
    if (phase.at !== 'read' || phase.busy) return;
    setPhase({ ...phase, busy: true });
    // From now on the key and the ledger must survive when the device runs out of space.
    void navigator.storage?.persist?.().catch(() => false);
    try {
      setPhase(await act());
    } catch (error) {
      const waits = await call('isWaiting', []).catch(() => undefined);
      setPhase({ at: 'unsent', failure: pageFailureOf(error), waits });
    }
  };

  /** Takes part until there is a receipt. If it fails, the worker says whether the party's share waits to be sent. */
  const takePart = async (acknowledged: readonly Acknowledgement[]) => {
    const own = new AbortController();
    control.current = own;
    setPhase({ at: 'exchanging', acknowledged });
    void navigator.storage?.persist?.().catch(() => false);
    try {
      const sent = await call('takePartInStudy', [acknowledged], {
        signal: own.signal,
        onUpdate: (view) => setPhase((now) => (now.at === 'exchanging' ? { ...now, view } : now)),
      });
      setPhase({ at: 'sent', sent });
    } catch (error) {
      const failure = pageFailureOf(error);
      const waits = await call('isWaiting', []).catch(() => undefined);
      setPhase(
        waits === true
          ? { at: 'unsent', failure, waits }
          : { at: 'stopped', acknowledged, failure },
      );
    }
  };

  return {
    phase,
    options,
    setOptions,
    read(file, again) {
      const fresh = forAnotherFile(options);
      setOptions(fresh);
      void read(file, withMode(fresh, again));
    },
    readAgain(change, again) {
      if (last.current === undefined) return;
      const changed = { ...options, ...change };
      setOptions(changed);
      void read(last.current, withMode(changed, again));
    },
    cancel: () => control.current?.abort(),
    anotherFile: () => setPhase({ at: 'file', returned: true }),
    send: (acknowledged) =>
      void submit(async () => ({
        at: 'sent',
        sent: await call('sendContribution', [acknowledged], {
          onUpdate: (upload) =>
            setPhase((now) => (now.at === 'read' && now.busy ? { ...now, upload } : now)),
        }),
      })),
    save: (acknowledged, name) =>
      void submit(async () => {
        const file = await call('saveContribution', [acknowledged, name]);
        download(name, [file as Uint8Array<ArrayBuffer>], 'application/octet-stream');
        return { at: 'saved', name };
      }),
    takePart: (acknowledged) => void takePart(acknowledged),
    sent: (sent) => setPhase({ at: 'sent', sent }),
  };
}

/** The options without what was said about the names and texts of one file. */
function forAnotherFile({ wording, ...options }: ReadingOptions): ReadingOptions {
  const missing = wording?.missing;
  return { ...options, ...(missing === undefined ? {} : { wording: { missing } }) };
}
