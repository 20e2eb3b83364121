import { useEffect, useState } from 'preact/hooks';
import type { StudyView } from '../../../src/protocol/messages.ts';
import type { StudyLink } from '../../app/here.ts';
import { ask } from '../../desk/call.ts';
import type { Overview } from '../../desk/result-overview.ts';
import { type Trouble, troubleOf } from '../../desk/trouble.ts';

/** A study's result as a page has it, and what the page can ask of it. */
export interface ResultState {
  readonly overview?: Overview;
  readonly trouble?: Trouble;
  /** A resolution that has come since, which is not the one shown. */
  readonly newer?: number;
  readonly choose: (number: number) => void;
}

/** Opens the newest resolution and follows the study: before there is one, it appears when it comes. */
export function useResult(link: StudyLink | undefined): ResultState {
  const [overview, setOverview] = useState<Overview>();
  const [trouble, setTrouble] = useState<Trouble>();
  const [number, setNumber] = useState<number>();
  const [view, setView] = useState<StudyView>();
  const newest = view?.resolution?.number;
  const shown = overview?.shown?.resolution.number;
  useEffect(() => {
    if (link === undefined) return;
    let wanted = true;
    ask('openResult', [link, number]).then(
      (opened) => wanted && setOverview(opened),
      (failure) => wanted && setTrouble(troubleOf(failure)),
    );
    return () => {
      wanted = false;
    };
  }, [link, number]);
  const opened = overview !== undefined;
  useEffect(() => {
    if (link === undefined || !opened) return;
    const control = new AbortController();
    const { signal } = control;
    ask('followResult', [link], { onNews: setView, signal }).catch(() => {}); // the page stays as it is
    return () => control.abort();
  }, [link, opened]);
  useEffect(() => {
    if (shown === undefined && newest !== undefined) setNumber(newest);
  }, [shown, newest]);
  const current = overview !== undefined && view !== undefined ? { ...overview, view } : overview;
  return {
    ...(current === undefined ? {} : { overview: current }),
    ...(trouble === undefined ? {} : { trouble }),
    ...(newest !== undefined && shown !== undefined && newest > highest(overview)
      ? { newer: newest }
      : {}),
    choose: setNumber,
  };
}

function highest(overview: Overview | undefined): number {
  return Math.max(0, ...(overview?.versions.map(({ number }) => number) ?? []));
}
