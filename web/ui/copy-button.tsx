import { useState } from 'preact/hooks';
import { announce } from './announce.ts';
import { Button } from './button.tsx';

/** Copies a text, and announces it. */
export function CopyButton({
  text,
  children,
}: {
  readonly text: () => string;
  readonly children: string;
}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(text());
    announce('Copied');
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      {copied ? 'Copied' : children}
    </Button>
  );
}

/** Pages without TLS have no clipboard API: there the text is put in a field, selected and copied. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
