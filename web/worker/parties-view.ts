import type { ColumnsAt, Party } from '../../src/aggregation/aggregation.ts';
import { partyTexts } from '../../src/aggregation/who-sees.ts';
import type { Agreement } from '../../src/federate.ts';
import { type ExchangeStep, exchangeSteps } from '../../src/site/party-steps.ts';
import { shortKey } from '../../src/site/roster-key.ts';

/** Who adds, where nobody sees the numbers of one site, and who takes part. */
export interface PartiesView {
  readonly parties: readonly PartyView[];
  readonly minimumSites: number;
  /** The sites of the roster. */
  readonly sites: readonly RosterSite[];
  /** Where the sites hold different columns: who has which, and the steps of their exchange. */
  readonly exchange?: PlannedExchange;
}

/** An exchange between parties that hold different columns. */
export interface PlannedExchange {
  readonly steps: readonly ExchangeStep[];
  readonly parties: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

export interface PartyView {
  readonly party: Party;
  readonly sees: string;
  /** Of the helper; the coordinator is at the address of the page. */
  readonly address?: string;
  /** The key that it signs with. */
  readonly key?: string;
}

export interface RosterSite {
  readonly name: string;
  readonly key: string;
  /** The beginning of the key. */
  readonly short: string;
}

/** Undefined where the coordinator sees each site's statistic. */
export function partiesView({ aggregation, method }: Agreement): PartiesView | undefined {
  const { sees, columnsAt, minimumSites = 1, roster = {} } = aggregation;
  if (sees === 'sites') return undefined;
  const helper = aggregation.helper ?? columnsAt?.helper;
  const noise = method.noise?.atHelper === undefined ? 'nobody' : 'helper';
  return {
    parties: partyTexts(aggregation, noise).map((text) =>
      text.party === 'helper' && helper !== undefined
        ? { ...text, address: helper.url, key: helper.signingKey }
        : text,
    ),
    minimumSites,
    sites: Object.entries(roster).map(([name, key]) => ({ name, key, short: shortKey(key) })),
    ...(columnsAt === undefined ? {} : { exchange: plannedExchange(columnsAt) }),
  };
}

function plannedExchange({ parties, linkage }: ColumnsAt): PlannedExchange {
  return {
    steps: exchangeSteps(linkage),
    parties: Object.entries(parties).map(([name, columns]) => ({ name, columns })),
  };
}
