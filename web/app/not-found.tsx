import { Notice } from '../ui/notice.tsx';
import { useTitle } from './shell.tsx';

/** An unknown address. */
export function NotFound({ coordinator }: { readonly coordinator: string }) {
  useTitle('No such page');
  return (
    <>
      <h1>There is no such page</h1>
      <Notice kind="info" title="The address may be misspelt, or cut short.">
        <p>
          If you were given a link, open the whole link again, from its first to its last character,
          with the part after #.
        </p>
        <p>
          If you operate this coordinator, see{' '}
          <a href={`${coordinator}/`}>the list of its studies</a>.
        </p>
      </Notice>
    </>
  );
}
