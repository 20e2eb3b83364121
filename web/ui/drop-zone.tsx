import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
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

/** A place for a file: dropped, chosen, or pasted as text. */
export function DropZone({ onFile, accept, action, barred, children }: DropZoneProps) {
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file !== undefined && barred === undefined) onFile(file);
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
        take(event.dataTransfer?.files);
      }}
    >
      {children}
      <Button kind="primary" barred={barred} onClick={() => input.current?.click()}>
        {action}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
