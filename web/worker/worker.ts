import { answerWith } from './answer.ts';
import * as create from './create.ts';
import * as join from './join.ts';
import * as joinParty from './join-party.ts';
import * as lab from './lab.ts';
import * as predict from './predict.ts';
import * as result from './result.ts';
import * as rounds from './rounds.ts';
import * as study from './study.ts';

/** Every function that a page can call in the worker, by name. */
export type WorkerApi = typeof create &
  typeof join &
  typeof joinParty &
  typeof lab &
  typeof predict &
  typeof result &
  typeof rounds &
  typeof study;

answerWith({
  ...create,
  ...join,
  ...joinParty,
  ...lab,
  ...predict,
  ...result,
  ...rounds,
  ...study,
});
