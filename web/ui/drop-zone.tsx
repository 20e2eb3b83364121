import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface DropZoneProps {
  readonly onFile: (file: File) => void;
  /** What may be dropped, as the file dialog takes it. */
  readonly accept: string;
  /** What the button says. */
  readonly action: string;
  /** Takes nothing yet, and why. */
  readonly barred?: string | undefined;
  readonly children: ComponentChildren;
}

/** A place for a file, dropped or chosen, or for rows that are dropped as text. */
export function DropZone({ onFile, accept, action, barred, children }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  useEffect(barDropsElsewhere, []);
  const take = (file: File) => {
    setProblem(undefined);
    if (barred === undefined) onFile(file);
  };
  const takeDropped = (dropped: DataTransfer) => {
    const found = fileIn(dropped);
    if (typeof found === 'string') setProblem(found);
    else take(found);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it is the way for keys
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer !== null) takeDropped(event.dataTransfer);
      }}
    >
      {children}
      <Button kind="primary" barred={barred} onClick={() => input.current?.click()}>
        {action}
      </Button>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) take(file);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

/** What was dropped, or why it cannot be taken. */
function fileIn(dropped: DataTransfer): File | string {
  const [first] = dropped.items;
  if (first?.kind === 'file' && first.webkitGetAsEntry()?.isDirectory === true) {
    return 'That is a folder. Open it, and drop the file that is in it.';
  }
  const { files } = dropped;
  if (files.length > 1) return `These are ${files.length} files. Drop the one that is meant.`;
  if (files.length === 1) return files[0];
  const text = dropped.getData('text/plain');
  return text.includes('\n') ? new File([text], 'dropped rows') : 'That is no file.';
}

/** A file that misses the place would be opened by the browser instead of the page. */
function barDropsElsewhere(): () => void {
  const bar = (event: DragEvent) => event.preventDefault();
  addEventListener('dragover', bar);
  addEventListener('drop', bar);
  return () => {
    removeEventListener('dragover', bar);
    removeEventListener('drop', bar);
  };
}
