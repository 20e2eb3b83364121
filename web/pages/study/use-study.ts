import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/protocol/messages.ts';
import type { StudyLink } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';
import type { LogVerdict, StudyNews, WatchedStudy } from '../../desk/watched-study.ts';
import { announce } from '../../ui/announce.ts';
import { countText } from '../../ui/words.ts';

/** A study as it stands now. */
export interface LiveStudy {
  readonly view?: WatchedStudy;
  readonly log: readonly AuditEntry[];
  readonly verdict?: LogVerdict;
  readonly connection: 'starting' | 'live' | 'lost';
  /** Sites of which something came while the page was open. */
  readonly fresh: ReadonlySet<string>;
  readonly trouble?: Trouble;
}

/** Follows a study while the page is open. */
export function useStudy(link: StudyLink): LiveStudy {
  const [live, setLive] = useState<LiveStudy>({ log: [], connection: 'starting', fresh: none });
  const shown = useRef<WatchedStudy | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const hear = (news: StudyNews) => {
      if ('view' in news) {
        const { view } = news;
        const arrived = shown.current === undefined ? [] : changedSites(shown.current, view);
        for (const words of arrivals(arrived, view)) announce(words);
        shown.current = view;
        setLive((before) => ({ ...before, view, fresh: new Set([...before.fresh, ...arrived]) }));
      } else if ('log' in news) {
        setLive((before) => ({ ...before, ...news }));
      } else if ('entry' in news) {
        const { entry, verdict } = news;
        setLive((before) => ({ ...before, log: [...before.log, entry], verdict }));
      } else {
        setLive((before) => ({ ...before, ...news }));
      }
    };
    ask('watchStudy', [link], { onNews: hear, signal: stop.signal }).catch((failure) => {
      const trouble = troubleOf(failure);
      if (trouble.kind !== 'cancelled') setLive((before) => ({ ...before, trouble }));
    });
    return () => stop.abort();
  }, [link]);
  return live;
}

const none: ReadonlySet<string> = new Set();

/** Names of the sites that sent something between two views. */
function changedSites(before: WatchedStudy, now: WatchedStudy): string[] {
  const known = new Map(before.sites.map((site) => [site.name, standing(site)]));
  return now.sites
    .filter((site) => site.state === 'contributed' && known.get(site.name) !== standing(site))
    .map(({ name }) => name);
}

function standing({ state, n, late }: WatchedStudy['sites'][number]): string {
  return `${state} ${n} ${late}`;
}

function arrivals(names: readonly string[], { sites, state }: WatchedStudy): string[] {
  const words = names.map((name) => {
    const rows = sites.find((site) => site.name === name)?.n;
    return `${name} has contributed${rows === undefined ? '' : `, ${countText(rows)} rows`}`;
  });
  return state === 'resolved' && words.length > 0
    ? [`${words.join('; ')}. The study is resolved.`]
    : words;
}
