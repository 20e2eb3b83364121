import { CopyButton } from '../../ui/copy-button.tsx';

/** The public key of a site in this browser, to give to an analyst. */
export function OwnKey({ value }: { readonly value: string }) {
  return (
    <div class="row">
      <code class="digest">{value}</code>
      <CopyButton text={() => value}>Copy the key</CopyButton>
    </div>
  );
}
