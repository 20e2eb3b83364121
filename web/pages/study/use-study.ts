import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/protocol/messages.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { announce } from '../../ui/announce.ts';
import { countText } from '../../ui/text.ts';
import { call } from '../../worker/call.ts';
import type { LogVerdict, StudyUpdate, WatchedStudy } from '../../worker/watched-study.ts';

/** The present state of a study. */
export interface LiveStudy {
  readonly view?: WatchedStudy;
  readonly log: readonly AuditEntry[];
  readonly verdict?: LogVerdict;
  readonly connection: 'starting' | 'live' | 'lost';
  /** Sites that contributed while the page was open. */
  readonly fresh: ReadonlySet<string>;
  readonly failure?: PageFailure;
}

/** Follows a study while the page is open. */
export function useStudy(link: StudyLink): LiveStudy {
  const [live, setLive] = useState<LiveStudy>({ log: [], connection: 'starting', fresh: none });
  const shown = useRef<WatchedStudy | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const hear = (update: StudyUpdate) => {
      if ('view' in update) {
        const { view } = update;
        const changed = shown.current === undefined ? [] : changedSites(shown.current, view);
        for (const text of contributionTexts(changed, view)) announce(text);
        shown.current = view;
        setLive((before) => ({ ...before, view, fresh: new Set([...before.fresh, ...changed]) }));
      } else if ('log' in update) {
        setLive((before) => ({ ...before, ...update }));
      } else if ('entry' in update) {
        const { entry, verdict } = update;
        setLive((before) => ({ ...before, log: [...before.log, entry], verdict }));
      } else {
        setLive((before) => ({ ...before, ...update }));
      }
    };
    call('followStudy', [link], { onUpdate: hear, signal: stop.signal }).catch((error) => {
      const failure = pageFailureOf(error);
      if (failure.kind !== 'cancelled') setLive((before) => ({ ...before, failure }));
    });
    return () => stop.abort();
  }, [link]);
  return live;
}

const none: ReadonlySet<string> = new Set();

/** Names of the sites that contributed between two views. */
function changedSites(before: WatchedStudy, now: WatchedStudy): string[] {
  const known = new Map(before.sites.map((site) => [site.name, stateKey(site)]));
  return now.sites
    .filter((site) => site.state === 'contributed' && known.get(site.name) !== stateKey(site))
    .map(({ name }) => name);
}

function stateKey({ state, n, late }: WatchedStudy['sites'][number]): string {
  return `${state} ${n} ${late}`;
}

function contributionTexts(names: readonly string[], { sites, state }: WatchedStudy): string[] {
  const texts = names.map((name) => {
    const rows = sites.find((site) => site.name === name)?.n;
    return `${name} has contributed${rows === undefined ? '' : `, ${countText(rows)} rows`}`;
  });
  return state === 'resolved' && texts.length > 0
    ? [`${texts.join('; ')}. The study is resolved.`]
    : texts;
}
