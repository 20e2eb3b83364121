import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

interface DropZoneProps {
  readonly onFile: (file: File) => void;
  /** Accepted file types, in the syntax of the file dialog. */
  readonly accept: string;
  /** Text of the button. */
  readonly action: string;
  /** The zone is disabled for this reason. */
  readonly disabledReason?: string | undefined;
  readonly children: ComponentChildren;
}

/** A place to drop or choose a file, or to drop rows as text. */
export function DropZone({ onFile, accept, action, disabledReason, children }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  useEffect(preventDropsElsewhere, []);
  const take = (file: File) => {
    setProblem(undefined);
    if (disabledReason === undefined) onFile(file);
  };
  const takeDropped = (dropped: DataTransfer) => {
    const found = fileIn(dropped);
    if (typeof found === 'string') setProblem(found);
    else take(found);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboard users press the button in it
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
      <Button kind="primary" disabledReason={disabledReason} onClick={() => input.current?.click()}>
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

/** The dropped file, or why it cannot be used. */
function fileIn(dropped: DataTransfer): File | string {
  const [first] = dropped.items;
  if (first?.kind === 'file' && first.webkitGetAsEntry()?.isDirectory === true) {
    return 'This is a folder. Open it, and drop a file from it.';
  }
  const { files } = dropped;
  if (files.length > 1) return `These are ${files.length} files. Drop only one.`;
  if (files.length === 1) return files[0];
  const text = dropped.getData('text/plain');
  return text.includes('\n') ? new File([text], 'dropped rows') : 'This is not a file.';
}

/** Without this, the browser would open a file that is dropped beside the zone. */
function preventDropsElsewhere(): () => void {
  const prevent = (event: DragEvent) => event.preventDefault();
  addEventListener('dragover', prevent);
  addEventListener('drop', prevent);
  return () => {
    removeEventListener('dragover', prevent);
    removeEventListener('drop', prevent);
  };
}
