import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type ChosenFolder,
  chosenFolder,
  droppedFiles,
  filesOfDialog,
} from '../tab/chosen-files.ts';
import { Button } from './button.tsx';

interface DropZoneProps {
  readonly onFile: (file: File) => void;
  /** Takes a folder or several files; without it they are refused. */
  readonly onFolder?: ((folder: ChosenFolder) => void) | undefined;
  /** Accepted file types, in the syntax of the file dialog. */
  readonly accept: string;
  /** Text of the button. */
  readonly action: string;
  /** The zone is disabled for this reason. */
  readonly disabledReason?: string | undefined;
  readonly children: ComponentChildren;
}

/** A place to drop or choose a file, to drop rows as text, and where it is asked for, to drop or choose a folder. */
export function DropZone(props: DropZoneProps) {
  const { onFile, onFolder, accept, action, disabledReason, children } = props;
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  useEffect(preventDropsElsewhere, []);
  const take = (found: File | ChosenFolder) => {
    setProblem(undefined);
    if (disabledReason !== undefined) return;
    if (found instanceof File) onFile(found);
    else if (found.files.length === 0) setProblem('No files are in this folder.');
    else onFolder?.(found);
  };
  const takeDropped = async (dropped: DataTransfer) => {
    const found = holdsFolder(dropped)
      ? await droppedFiles(dropped.items).then(chosenFolder, () => UNREADABLE)
      : fileIn(dropped);
    if (typeof found === 'string') setProblem(found);
    else take(found);
  };
  const holdsFolder = (dropped: DataTransfer) =>
    onFolder !== undefined && (dropped.files.length > 1 || isFolder(dropped));
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
        if (event.dataTransfer !== null) void takeDropped(event.dataTransfer);
      }}
    >
      {children}
      <div class="row drop-actions">
        <Button
          kind="primary"
          disabledReason={disabledReason}
          onClick={() => input.current?.click()}
        >
          {action}
        </Button>
        {onFolder !== undefined && (
          <Button disabledReason={disabledReason} onClick={() => folderInput.current?.click()}>
            Choose a folder
          </Button>
        )}
      </div>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={onFolder !== undefined}
        hidden
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          const files = event.currentTarget.files ?? [];
          if (files.length === 1) take(files[0]);
          if (files.length > 1) take(chosenFolder(filesOfDialog(files as FileList)));
          event.currentTarget.value = '';
        }}
      />
      {onFolder !== undefined && (
        <input
          ref={folderInput}
          type="file"
          {...FOLDERS}
          hidden
          tabIndex={-1}
          aria-hidden="true"
          onChange={(event) => {
            const { files } = event.currentTarget;
            if (files !== null) take(chosenFolder(filesOfDialog(files)));
            event.currentTarget.value = '';
          }}
        />
      )}
    </div>
  );
}

/** Preact does not know the attribute that makes a dialog choose folders. */
const FOLDERS: object = { webkitdirectory: true };

const UNREADABLE = 'The folder cannot be read. Choose it with the button.';

/** The dropped file, or why it cannot be used. */
function fileIn(dropped: DataTransfer): File | string {
  if (isFolder(dropped)) return 'This is a folder. Open it, and drop a file from it.';
  const { files } = dropped;
  if (files.length > 1) return `These are ${files.length} files. Drop only one.`;
  if (files.length === 1) return files[0];
  const text = dropped.getData('text/plain');
  return text.includes('\n') ? new File([text], 'dropped rows') : 'This is not a file.';
}

function isFolder({ items }: DataTransfer): boolean {
  const [first] = items;
  return first?.kind === 'file' && first.webkitGetAsEntry()?.isDirectory === true;
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
