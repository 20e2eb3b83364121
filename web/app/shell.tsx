import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { operatorToken } from '../tab/operator-token.ts';
import { addressOf } from '../tab/own-address.ts';
import { isSite, type PageAddress, type PageName } from '../tab/page-address.ts';
import { visiblePage } from '../ui/hidden-characters.ts';

/** The frame of every page: navigation above, privacy note below. */
export function Shell({
  here,
  children,
}: {
  readonly here: PageAddress;
  readonly children: ComponentChildren;
}) {
  const links = navigation(here);
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
          Rows are read in this tab and never leave it. The page loads only from this coordinator,
          and sends nothing about them before you approve it.
          {here.page !== 'join' && here.page !== 'lab' && (
            <>
              {' '}
              The <a href={`${here.coordinator}/lab`}>lab</a> shows with simulated data what one
              round can do.
            </>
          )}
        </p>
      </footer>
    </>
  );
}

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Suffice' : `${visiblePage(title)} · Suffice`;
  }, [title]);
}

function navigation({ coordinator, link }: PageAddress): [PageName, string, string][] {
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

/** A button instead of a link, because a link would replace the secret after #. */
function focusMain(): void {
  document.getElementById('main')?.focus();
}

/** The logo: an upper triangle, the shape of what a site sends. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M8 8h16v16z" fill="var(--on-accent)" />
    </svg>
  );
}
