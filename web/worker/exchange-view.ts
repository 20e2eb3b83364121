import type { Acknowledgement } from '../../src/disclosure/acknowledgement.ts';
import type { Audit } from '../../src/disclosure/rule.ts';
import type { ExchangeProgress } from '../../src/site/exchange-mail.ts';
import { type ExchangeStep, waitingFor } from '../../src/site/party-steps.ts';
import { grouped } from '../../src/text/number-text.ts';

/** How far a party in this tab is. */
export interface ExchangeView {
  readonly steps: readonly ExchangeStepView[];
  /** How many people are linked, line by line; absent before. */
  readonly linked?: readonly string[];
  /** Warnings that only the linked rows give; the person must answer. */
  readonly question?: LinkedQuestion;
  /** The coordinator cannot be reached now, and is tried again. */
  readonly lost?: boolean;
}

export interface ExchangeStepView extends ExchangeStep {
  readonly state: 'done' | 'now' | 'next';
  /** What happens now, in the present step. */
  readonly now?: string;
}

/** A question about the linked rows, before a column leaves. */
export interface LinkedQuestion {
  readonly open: readonly Acknowledgement[];
  readonly audit?: Audit;
}

/** The steps with the present one marked; the last one where the exchange is over. */
export function stepsAt(
  steps: readonly ExchangeStep[],
  present: ExchangeProgress | 'share' | undefined,
): ExchangeStepView[] {
  const step = present === undefined || present === 'share' ? present : present.step;
  const here = steps.findIndex((one) => one.step === (step ?? steps[0].step));
  return steps.map((one, k) => ({
    ...one,
    state: k < here ? 'done' : k === here ? 'now' : 'next',
    ...(k === here && { now: nowText(present) }),
  }));
}

function nowText(present: ExchangeProgress | 'share' | undefined): string {
  if (present === undefined) return 'beginning';
  if (present === 'share') return 'sending your share to the coordinator';
  const { step, doing, party, done, parts } = present;
  const part = parts > 1 ? `, part ${done + 1} of ${parts}` : '';
  if (doing === 'waiting') return `waiting for ${waitingFor[step](party)}`;
  if (doing === 'computing') return `computing points: ${grouped(done)} of ${grouped(parts)}`;
  if (doing === 'receiving') return `receiving ${waitingFor[step](party)}${part}`;
  return `sending${party === '' ? '' : ` to ${party}`}${part}`;
}
