import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** A new invitation; shown once. */
export function NewLink({
  site,
  link,
  onDone,
}: {
  readonly site: string;
  readonly link: string;
  readonly onDone: () => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.focus();
    announce(`A new link for ${site}, shown once`);
  }, [link]);
  return (
    <div ref={place} class="new-link" tabIndex={-1}>
      <p class="small">
        Only for <strong>{site}</strong>, and shown only once:
      </p>
      <code class="secret">{link}</code>
      <div class="row">
        <CopyButton text={() => link}>Copy</CopyButton>
        <Button kind="quiet" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
