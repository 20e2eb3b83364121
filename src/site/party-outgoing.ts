import { grouped } from '../text/number-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { POINT_BYTES } from '../vertical/link-points.ts';
import { TOKEN_BYTES } from '../vertical/link-tokens.ts';
import { columnBytes, pairsWith } from '../vertical/pair-ring.ts';
import type { KeyCounts } from '../vertical/party.ts';
import type { PartyModel, VerticalStudy } from '../vertical/vertical-study.ts';

/** Something that a party would send. */
export interface OutgoingMessage {
  readonly to: string;
  readonly what: string;
  /** Bytes, before they are encrypted; the most there can be. */
  readonly bytes?: number;
  /** The keys that rows are linked by, in turn. */
  readonly keys?: readonly string[];
  readonly detail: readonly string[];
}

/** What a party would send to whom, and what everybody learns. */
export interface PartyOutgoing {
  readonly messages: readonly OutgoingMessage[];
  readonly learns: readonly string[];
}

/** What is shown for approval before anything leaves a party. */
export function partyOutgoing(
  study: VerticalStudy,
  { party, layout: own }: PartyModel,
  counts: KeyCounts,
): PartyOutgoing {
  const { columnsAt, parties, layout, fewest } = study;
  const { rows } = counts;
  const others = parties.filter((name) => name !== party).map(visibleText);
  const listed = others.join(', ');
  const helper =
    columnsAt.helper === undefined
      ? 'the helper'
      : `the helper at ${new URL(columnsAt.helper.url).host}`;
  const numbers = (layout.columns.length * (layout.columns.length + 1)) / 2;
  const keys = keysText(columnsAt.passes, counts);
  return {
    messages: [
      ...(columnsAt.linkage === 'ecdh'
        ? pointMessages(rows, keys, listed, helper)
        : tokenMessages(rows, keys, helper)),
      {
        to: listed,
        what: `your ${own.columns.length - 1} model columns of the people whom all parties have, each number minus a random one`,
        bytes: columnsBytes(study, party, rows),
        detail: ['What arrives is uniform, whatever your numbers are.'],
      },
      {
        to: 'the coordinator',
        what: `a share of ${grouped(numbers)} sums`,
        detail: [
          'Together with the other shares it gives the sums of the joined table: those of your own columns, and of their products with columns of other parties. Nothing else.',
        ],
      },
    ],
    learns: [
      `Each party learns which of its own people all parties have. That somebody is among your people is a fact about them: take part only if ${listed} may know it.${
        columnsAt.linkage === 'ecdh' ? ` ${pointsDisclosure(listed, fewest)}` : ''
      }`,
      `Everyone in the study learns how many people that are (at least ${grouped(fewest)}), and the model.`,
      `If ${helper} worked together with another party, the two could work out your columns of these people.`,
    ],
  };
}

function tokenMessages(rows: number, keys: readonly string[], helper: string): OutgoingMessage[] {
  return [
    {
      to: helper,
      what: `a token of each of your ${grouped(rows)} complete rows, for each key in turn`,
      bytes: rows * keys.length * TOKEN_BYTES,
      keys,
      detail: [
        'Tokens are made with a secret that the parties share and the helper does not know.',
        'It learns how many rows each party has and which tokens are the same; no key, no column.',
      ],
    },
  ];
}

function pointMessages(
  rows: number,
  keys: readonly string[],
  other: string,
  helper: string,
): OutgoingMessage[] {
  return [
    {
      to: `${other}, to link rows`,
      what: `a point of each of your ${grouped(rows)} complete rows, for each key in turn, times a secret number of yours`,
      bytes: rows * keys.length * POINT_BYTES,
      keys,
      detail: [
        `The points of ${other} come to you, and go back times the same number.`,
        'A point says nothing about a key without your secret number. Rows without a key, or with one that another row has, are sent as random points.',
      ],
    },
    {
      to: helper,
      what: 'how many people are linked, and a digest of the points of both',
      detail: ['It learns nothing else: no token, no key, not how many rows you have, no column.'],
    },
  ];
}

/** What linking by points tells beyond the linked people themselves. */
function pointsDisclosure(other: string, fewest: number): string {
  return `${other} learns it before anybody can stop it, also where fewer than ${grouped(fewest)} people are common and nothing is computed; and how many complete rows you have.`;
}

/** The keys in turn, and the rows that they cannot link. */
function keysText(passes: readonly (readonly string[])[], counts: KeyCounts): string[] {
  return passes.map((names, k) => {
    const { missing, duplicates } = counts.passes[k];
    const less = [
      ...(missing === 0 ? [] : [`${grouped(missing)} rows have no such key`]),
      ...(duplicates === 0
        ? []
        : [`${grouped(duplicates)} rows share theirs with another row and are not linked by it`]),
    ];
    return `${names.map(visibleText).join(', ')}${less.length === 0 ? '' : `: ${less.join(', ')}`}`;
  });
}

/** Bytes of the columns if every row were linked. */
function columnsBytes(study: VerticalStudy, party: string, rows: number): number {
  return pairsWith(study.ringsOf(rows), party).reduce((sum, ring) => {
    const widths = ring.left === party ? ring.leftWidths : ring.rightWidths;
    return sum + columnBytes(widths, ring.rows);
  }, 0);
}
