import type { Agreement } from '../federate.ts';
import type { Mismatch, Offer, OfferedColumn } from '../protocol/messages.ts';
import type { Column } from '../study/codebook.ts';
import { SITE_COLUMN } from './site-name.ts';

/** What of an offer does not match the study: every column must be there and fit its description. */
export function judgeOffer({ columns }: Agreement, offer: Offer): Mismatch[] {
  const offered = new Map(offer.columns.map((column) => [column.name, column]));
  return columns
    .filter(({ name }) => name !== SITE_COLUMN)
    .flatMap(({ name, column }) => {
      const found = offered.get(name);
      const mismatch =
        found === undefined || found.found === 'absent' ? absent : judgeColumn(found, column);
      return mismatch === undefined ? [] : [{ column: name, ...mismatch }];
    });
}

type Judgement = Omit<Mismatch, 'column'>;

const absent: Judgement = {
  problem: 'the file does not have this column',
  remedy: 'add the column, or rename the one that holds it',
};

function judgeColumn(found: OfferedColumn, column: Column): Judgement | undefined {
  const { unknownTexts } = found;
  const texts = unknownTexts === 1 ? 'text' : 'texts';
  if (column.type === 'category') {
    if (unknownTexts === 0) return undefined;
    return {
      problem: `${unknownTexts} distinct ${texts} that are no level of the study`,
      remedy: `the levels are ${column.levels.join(', ')}; recode the others, or mark them as missing`,
    };
  }
  if (found.found === 'text' || unknownTexts > 0) {
    return {
      problem:
        unknownTexts > 0
          ? `${unknownTexts} distinct ${texts} where numbers are needed`
          : 'text where numbers are needed',
      remedy: 'correct the cells, or check the decimal sign and the missing markers',
    };
  }
  if (found.found === 'number' && found.range === 'outside') return outside(found, column);
  return undefined;
}

function outside({ suspicion }: OfferedColumn, column: Column): Judgement {
  const { range, unit } = column.type === 'number' ? column : {};
  const limits = range === undefined ? '' : ` of ${range[0]} to ${range[1]}`;
  const inUnit = unit === undefined ? '' : ` ${unit}`;
  return {
    problem: `numbers outside the range${limits}${inUnit}`,
    remedy:
      suspicion === undefined
        ? 'correct the numbers, or ask for a study with a wider range'
        : `they would fit if they were not ${suspicion}: check the unit`,
  };
}
