import { useEffect, useState } from 'preact/hooks';
import { defined } from '../../../src/defined.ts';
import type { StudyView } from '../../../src/protocol/messages.ts';
import { type PageFailure, pageFailureOf } from '../../page-failure.ts';
import type { StudyLink } from '../../tab/page-address.ts';
import { call } from '../../worker/call.ts';
import type { Overview } from '../../worker/result-overview.ts';

/** The state of the result page. */
export interface ResultState {
  readonly overview?: Overview;
  readonly failure?: PageFailure;
  /** Number of a newer resolution that is not shown yet. */
  readonly newer?: number;
  readonly choose: (number: number) => void;
}

/** Opens the newest resolution and follows the study. The first resolution is shown as soon as it is there. */
export function useResult(link: StudyLink): ResultState {
  const [overview, setOverview] = useState<Overview>();
  const [failure, setFailure] = useState<PageFailure>();
  const [number, setNumber] = useState<number>();
  const [view, setView] = useState<StudyView>();
  const newest = view?.resolution?.number;
  const shown = overview?.shown?.resolution.number;
  useEffect(() => {
    let wanted = true;
    call('openResult', [link, number]).then(
      (opened) => wanted && setOverview(opened),
      (error) => wanted && setFailure(pageFailureOf(error)),
    );
    return () => {
      wanted = false;
    };
  }, [link, number]);
  const opened = overview !== undefined;
  useEffect(() => {
    if (!opened) return;
    const control = new AbortController();
    const { signal } = control;
    call('followResult', [link], { onUpdate: setView, signal }).catch(() => {}); // the page stays as it is
    return () => control.abort();
  }, [link, opened]);
  useEffect(() => {
    if (shown === undefined && newest !== undefined) setNumber(newest);
  }, [shown, newest]);
  const current = overview !== undefined && view !== undefined ? { ...overview, view } : overview;
  return {
    ...defined({ overview: current, failure }),
    ...(newest !== undefined && shown !== undefined && newest > highest(overview)
      ? { newer: newest }
      : {}),
    choose: setNumber,
  };
}

function highest(overview: Overview | undefined): number {
  return Math.max(0, ...(overview?.versions.map(({ number }) => number) ?? []));
}
