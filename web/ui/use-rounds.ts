import { useEffect, useState } from 'preact/hooks';
import { defined } from '../../src/defined.ts';
import { type PageFailure, pageFailureOf } from '../page-failure.ts';
import type { StudyLink } from '../tab/page-address.ts';
import { rememberToken } from '../tab/study-token.ts';
import { call } from '../worker/call.ts';
import type { RoundLine } from '../worker/rounds.ts';

/** The rounds of a study on a page, and the one that it shows. */
export interface ShownRound {
  readonly link: StudyLink;
  /** The link of the page, which leads to all rounds. */
  readonly whole: StudyLink;
  readonly rounds: readonly RoundLine[];
  readonly failure?: PageFailure;
  /** Shows the round with this id. */
  readonly choose: (study: string) => void;
  /** Called with the digest of a next round when a view names one. */
  readonly onNext: (digest: string) => void;
}

/** Shows the newest round that is `wanted`, until a person chooses another. Without a next round it makes no request. */
export function useRounds(
  link: StudyLink,
  wanted: (round: RoundLine) => boolean = () => true,
): ShownRound {
  const [rounds, setRounds] = useState<readonly RoundLine[]>([]);
  const [next, setNext] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const [failure, setFailure] = useState<PageFailure>();
  const known = rounds.some((round) => round.link.digest === next);
  useEffect(() => {
    if (next === undefined || known) return;
    call('listRounds', [link]).then(
      (found) => {
        for (const round of found) if (isOwn(round.link)) rememberToken(round.link);
        setRounds(found);
        setChosen(undefined);
      },
      (error) => setFailure(pageFailureOf(error)),
    );
  }, [link, next]);
  const shown =
    rounds.find((round) => round.link.study === chosen) ?? rounds.findLast((one) => wanted(one));
  return {
    link: shown === undefined || shown.link.study === link.study ? link : shown.link,
    whole: link,
    rounds,
    choose: setChosen,
    onNext: setNext,
    ...defined({ failure }),
  };
}

/** The operator's secret opens every study and has a place of its own. */
function isOwn({ token }: StudyLink): boolean {
  return !token.startsWith('sfo_');
}
