import { grouped } from '../text/number-text.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import { visibleText } from '../text/visible-text.ts';
import type { KeyCounts } from '../vertical/party.ts';
import type { PartyModel, VerticalStudy } from '../vertical/vertical-study.ts';

/** What a party would send to whom, and what everybody learns: shown for approval before anything leaves. */
export function partyText(
  { columnsAt, parties, layout, fewest }: VerticalStudy,
  { party, layout: own }: PartyModel,
  { rows, passes }: KeyCounts,
  ink: Ink = plainInk,
): string {
  const others = parties.filter((name) => name !== party).map(visibleText);
  const helper =
    columnsAt.helper === undefined
      ? 'the helper'
      : `the helper at ${new URL(columnsAt.helper.url).host}`;
  const numbers = (layout.columns.length * (layout.columns.length + 1)) / 2;
  const keys = columnsAt.passes.map((names, k) => {
    const { missing, duplicates } = passes[k];
    const less = [
      ...(missing === 0 ? [] : [`${grouped(missing)} rows have no such key`]),
      ...(duplicates === 0
        ? []
        : [`${grouped(duplicates)} rows share theirs with another row and are not linked by it`]),
    ];
    const counted = less.length === 0 ? '' : `: ${less.join(', ')}`;
    return `    ${k + 1}. ${names.map(visibleText).join(', ')}${counted}`;
  });
  return [
    ink.bold('What would be sent'),
    `  to ${helper}: a token of each of your ${grouped(rows)} complete rows, for each key in turn`,
    ...keys,
    '    Tokens are made with a secret that the parties share and the helper does not know.',
    '    It learns how many rows each party has and which tokens are the same; no key, no column.',
    `  to ${others.join(', ')}: your ${own.columns.length - 1} model columns of the people whom all parties have,`,
    '    each number minus a random one. What arrives is uniform, whatever your numbers are.',
    `  to the coordinator: a share of ${grouped(numbers)} sums. Together with the other shares it gives the sums of the joined`,
    '    table: those of your own columns, and of their products with columns of other parties. Nothing else.',
    '',
    ink.bold('What others learn'),
    '  Each party learns which of its own people all parties have. That somebody is among your people is a fact about them:',
    `  join only if ${others.join(', ')} may know it. Everyone in the study learns how many people that are (at least ${grouped(fewest)}), and the model.`,
    `  If ${helper} worked together with another party, the two could work out your columns of these people.`,
    '',
  ].join('\n');
}
