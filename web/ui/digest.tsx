import { CopyButton } from './copy-button.tsx';

/** A digest or a key in full, to compare and copy. */
export function Digest({ text }: { readonly text: string }) {
  return (
    <span class="row">
      <span class="digest">{text}</span>
      <CopyButton text={() => text}>Copy</CopyButton>
    </span>
  );
}
