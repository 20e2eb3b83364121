import { useState } from 'preact/hooks';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { download } from '../../ui/download.ts';
import { TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/notice.tsx';
import { useAct } from '../../ui/use-act.ts';
import { call } from '../../worker/call.ts';
import type { StudyPlan } from '../../worker/plan.ts';
import type { Planning } from './use-plan.ts';

/** The study as JSON for `suffice study create`: to view, download and load. */
export function JsonSection({
  planning,
  onLoad,
}: {
  readonly planning: Planning;
  readonly onLoad: (plan: StudyPlan) => void;
}) {
  const review = planning.checked?.review;
  const [text, setText] = useState('');
  const act = useAct();
  const load = (given: string) =>
    act.run(async () => {
      onLoad(await call('loadPlan', [given, planning.plan]));
      setText('');
      announce('Loaded');
    });
  return (
    <details>
      <summary>As JSON: view, download, load</summary>
      <div class="stack">
        {review === undefined ? (
          <p class="soft small">The JSON appears here when the study has no problems.</p>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys */}
            <section class="code" tabIndex={0} aria-label="The study as JSON">
              <pre>{review.json}</pre>
            </section>
            <div class="row">
              {/* The copy must match the present form, not an earlier one. */}
              {planning.current ? (
                <CopyButton text={() => review.json}>Copy</CopyButton>
              ) : (
                <Button kind="quiet" busy>
                  Copy
                </Button>
              )}
              <Button
                kind="quiet"
                busy={!planning.current}
                onClick={() => download('study.json', [review.json], 'application/json')}
              >
                Download study.json
              </Button>
              <span class="small soft">
                <code>suffice study create study.json</code> takes it too.
              </span>
            </div>
          </>
        )}
        <TextField
          label="Load a study or a codebook"
          hint="Paste its JSON. It replaces what is in the form."
          mono
          lines={3}
          value={text}
          onInput={setText}
        />
        <div class="row">
          <Button
            busy={act.busy}
            disabledReason={text.trim() === '' ? 'Nothing was pasted yet' : undefined}
            onClick={() => load(text)}
          >
            Load it
          </Button>
          <label class="button">
            Choose a JSON file
            <input
              class="seen-by-readers"
              type="file"
              accept=".json,application/json"
              onChange={async (event) => {
                const [file] = event.currentTarget.files ?? [];
                event.currentTarget.value = '';
                if (file !== undefined) load(await file.text());
              }}
            />
          </label>
        </div>
        {act.failure !== undefined && <FailureNotice failure={act.failure} />}
      </div>
    </details>
  );
}
