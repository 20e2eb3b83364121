import { Notice } from '../ui/notice.tsx';
import { useTitle } from './shell.tsx';

/** An address that is none of ours. */
export function NotFound({ coordinator }: { readonly coordinator: string }) {
  useTitle('No such page');
  return (
    <>
      <h1>There is no such page</h1>
      <Notice kind="info" title="The address may be misspelt, or cut short.">
        <p>
          If you were given a link, open it again in full: from its first character to its last,
          with all that stands behind #.
        </p>
        <p>
          If you operate this coordinator, see{' '}
          <a href={`${coordinator}/`}>the list of its studies</a>.
        </p>
      </Notice>
    </>
  );
}
