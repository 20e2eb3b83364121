import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { addressOf, type Here, isSite, type PageName } from './here.ts';
import { operatorToken } from './operator.ts';

/** What stands around every page: where one is, where one can go, and what is promised. */
export function Shell({
  here,
  children,
}: {
  readonly here: Here;
  readonly children: ComponentChildren;
}) {
  const links = placesFrom(here);
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the page
      </button>
      <header class="top">
        <div>
          <a class="brand" href={here.page === 'join' ? undefined : `${here.coordinator}/`}>
            <Mark />
            Suffice
          </a>
          {links.length > 1 && (
            <nav aria-label="Pages">
              {links.map(([name, text, address]) => (
                <a key={name} href={address} aria-current={name === here.page ? 'page' : undefined}>
                  {text}
                </a>
              ))}
            </nav>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="foot">
        <p>
          Rows are read in this tab and never leave it. Nothing is loaded from anywhere but this
          coordinator, and nothing is sent before you say so.
          {here.page !== 'join' && here.page !== 'lab' && (
            <>
              {' '}
              In the <a href={`${here.coordinator}/lab`}>lab</a> you can see, with made-up data,
              what one round can do.
            </>
          )}
        </p>
      </footer>
    </>
  );
}

/** Names the page in the tab's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Suffice' : `${title} · Suffice`;
  }, [title]);
}

function placesFrom({ coordinator, link }: Here): [PageName, string, string][] {
  const operator = operatorToken();
  const home: [PageName, string, string][] =
    operator === undefined
      ? []
      : [
          ['', 'Studies', `${coordinator}/`],
          ['create', 'New study', `${coordinator}/create`],
        ];
  if (link === undefined) return home;
  const own: [PageName, string][] = isSite(link) ? [['join', 'Take part']] : [['study', 'Study']];
  const places: [PageName, string][] = [...own, ['result', 'Result'], ['predict', 'Predict']];
  return [
    ...home.slice(0, 1),
    ...places.map(([name, text]): [PageName, string, string] => [
      name,
      text,
      addressOf(name, link),
    ]),
  ];
}

/** A button and no link: the fragment holds the secret, and must stay. */
function focusMain(): void {
  document.getElementById('main')?.focus();
}

/** The upper triangle: what a site sends. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M8 8h16v16z" fill="var(--on-accent)" />
    </svg>
  );
}
