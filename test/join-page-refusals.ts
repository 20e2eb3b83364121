import { gzipSync } from 'node:zlib';
import { people } from './join-page.ts';
import { and, header, latin1, parquet, type RefusedFile } from './join-page-files.ts';
import { byStudy, commandLine } from './join-page-never-met.ts';

/** How a page meets a refusal of the command line. */
type Met =
  /** By a file that is given to it. */
  | RefusedFile
  /** In another test, by its name. */
  | { readonly in: string }
  /** Never, and why. */
  | { readonly never: string };

/** Words of a refusal as the source has them. */
type Refusals = readonly (readonly [words: string, met: Met])[];

const looksFirst = 'the first look at a file says it of the column, as a mismatch';
const links = 'with a link that is not, or no longer, an invitation to this study';
const home = 'where the browser keeps nothing, or its ledger was changed';
const unapproved = 'of what was not approved, or whose reading was stopped';
const arrival = 'for a study that cannot be asked for, or comes from who knows where';
const coordinator = 'that the coordinator refuses, and the page says why';
const meant = 'may be read again with what its names and texts mean';
const offered = 'the page offers only what the study has';
const further = 'adds, replaces and withdraws, once it is said what a further file is';

/** Every refusal that `suffice join` can end with, by the file of src/ that makes it, and how the page meets it. */
export const refusalsOfJoin: Readonly<Record<string, Refusals>> = {
  'table/dialect.ts': [
    ['the file is empty', { content: '\n\n', says: ['the file is empty'] }],
    [
      'a quote that neither opens nor closes',
      { content: 'a"g"e,treatment,days\n', says: ['neither opens'] },
    ],
    [
      'no line end in the first MiB',
      { content: Buffer.alloc(2 ** 20 + 9, 'x'), says: ['no line end'] },
    ],
    [
      'a quote in the header is never closed',
      { content: '"age,treatment,days\n1,new,2', says: ['never closed'] },
    ],
    [
      'the header holds NUL bytes',
      { content: Buffer.from([97, 44, 0, 98, 10, 49]), says: ['NUL bytes'] },
    ],
    [
      'the header is not valid UTF-8',
      {
        content: latin1(`\xe9t\xe9,${people(60)}`),
        says: ['header is not valid UTF-8', 'encoding is the likely cause'],
      },
    ],
    [
      'the header names column',
      { content: 'age,age,treatment,days\n', says: ['names column "age" twice'] },
    ],
    ['the header lacks', { never: looksFirst }],
    ['new HeaderBelow', { content: `Export\n${people(60)}`, says: ['names are in line 2'] }],
  ],
  'table/refuse-doubts.ts': [
    [
      'present} cells',
      {
        content: `age;treatment;days\n${'44;new;1,234\n'.repeat(60)}`,
        says: ['60 of 60 cells look like 1,234', 'what the decimal mark of the file is'],
      },
    ],
  ],
  'rows/sources.ts': [
    ['no such column in the file', { never: looksFirst }],
    ['no reader for this kind of file', { never: 'whatever is no Parquet is read as CSV' }],
  ],
  'rows/foreign-files.ts': [
    ['a PDF', { name: 'minutes.pdf', content: '%PDF-1.4\n1 0 obj\n', says: ['is a PDF'] }],
    [
      'neither text nor Parquet',
      { content: gzipSync(people(60)), says: ['compressed by gzip', 'unpack it'] },
    ],
    [
      'a workbook or a zip archive',
      { content: latin1('PK\x03\x04\x14\0'), says: ['a workbook', 'save the sheet as CSV'] },
    ],
  ],
  'table/csv-refusals.ts': [
    ['the header has', { content: and('44,new'), says: ['found 2 fields', 'row 61'] }],
    ['a quote inside a cell', { content: and('44,n"ew,12'), says: ['a quote inside', 'row 61'] }],
    ['text after the closing quote', { content: and('44,"new"x,12'), says: ['after the closing'] }],
    [
      'the record is longer than 16 MiB',
      { content: and(`44,"${'x'.repeat(2 ** 24)}",12`), says: ['longer than 16 MiB'] },
    ],
    ['a cell of those that', { never: looksFirst }],
    ['the file ends inside', { content: and('44,"new,12'), says: ['ends inside a quoted cell'] }],
    [
      'the cell is not valid UTF-8 text',
      {
        content: Buffer.concat([Buffer.from(people(60)), latin1('44,n\xe9w,12\n')]),
        says: ['not valid UTF-8', 'row 61', 'The encoding is the likely cause'],
      },
    ],
    [
      'the number is larger than',
      {
        name: 'rows.parquet',
        content: parquet([...Array(40).fill(44), Number.POSITIVE_INFINITY], 'DOUBLE'),
        says: ['the number is larger than', 'row 41'],
      },
    ],
    ['the number is outside the range', { never: looksFirst }],
    ['an empty cell, and "" is not among', { never: looksFirst }],
    ['not a number: ', { never: looksFirst }],
    ['not one of the ', { never: looksFirst }],
  ],
  'table/encoding.ts': [
    ['unknown encoding', { never: 'the page offers the encodings it knows' }],
    [
      'the file is not valid',
      {
        content: Buffer.concat([
          Buffer.from([0xff, 0xfe]),
          Buffer.from(people(60), 'utf16le'),
          Buffer.from([0x00, 0xd8, 0x0a, 0x00]),
        ]),
        says: ['the file is not valid utf-16le'],
      },
    ],
  ],
  'table/parquet-cells.ts': [
    ['the value is not finite', { never: looksFirst }],
    [
      'the Parquet file is damaged',
      { never: 'an index past its dictionary: found by fuzzing only, and told as the one below' },
    ],
  ],
  'table/parquet.ts': [
    ['no such column in the file', { never: looksFirst }],
    ['the column is nested', { never: 'a nested column is none of the names of a header' }],
    [
      'the column holds dates or times',
      {
        name: 'rows.parquet',
        content: parquet(Array(40).fill(new Date(0)), 'TIMESTAMP'),
        says: ['holds dates or times'],
      },
    ],
    [
      'the column holds neither numbers nor texts',
      {
        name: 'rows.parquet',
        content: parquet(Array(40).fill({ a: 1 }), 'JSON'),
        says: ['neither numbers nor texts'],
      },
    ],
    [
      'the Parquet file cannot be read',
      {
        name: 'rows.parquet',
        content: Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(64, 7)]),
        says: ['the Parquet file cannot be read', 'rows.parquet'],
      },
    ],
  ],
  'site/accepted-file.ts': [
    [
      'new MismatchedColumns',
      {
        content: people(60).replace('treatment', 'arm'),
        says: ['does not fit the study', 'treatment', 'the file has no such column'],
      },
    ],
    [
      'new MismatchedColumns',
      {
        name: 'minutes.txt',
        content: 'Minutes of the meeting\n1 Welcome\n',
        says: ['no such columns', 'Is it the right file?'],
        ownWords: true,
      },
    ],
    [
      'new MismatchedColumns',
      {
        content: and('640,new,12').replace(/^(\d+\.\d),/gm, (_, age) => `${age * 10},`),
        says: ['not all numbers are from 18 to 100 years', 'ten times too large'],
      },
    ],
    [
      'new MismatchedColumns',
      {
        content: and('44,placebo-of-mr-smith,12'),
        says: ['treatment', 'one text is not among its levels'],
        secret: 'placebo-of-mr-smith',
      },
    ],
    [
      'new MismatchedColumns',
      {
        content: and('44,new,unknown-to-mr-smith'),
        says: ['days', 'neither a number nor a missing marker'],
        secret: 'mr-smith',
      },
    ],
    [
      'new MismatchedColumns',
      { content: `${header}44,NA,12\n45,NA,13\n`, says: ['every cell is missing'] },
    ],
  ],
  'site/prepare-contribution.ts': [
    [
      'the disclosure audit refuses this file',
      { content: people(9), says: ['Refused by R0', 'nothing can be sent'] },
    ],
    [
      'the disclosure audit refuses this file',
      { content: people(120, 60), says: ['Refused by R3', 'refuses'] },
    ],
    ['switched the disclosure rules off', { in: unapproved }],
    ['the audit warns of', { in: unapproved }],
  ],
  'site/site-table.ts': [
    ['no data rows', { content: header, says: ['no data rows'] }],
    [
      'no row can be used',
      { content: `${header}NA,new,12\n30,control,NA\n`, says: ['no row can be used'] },
    ],
    ['the study has no site named', { never: 'a coordinator invites no site of such a name' }],
  ],
  'statistic/cross-product.ts': [['for their squares', { never: byStudy }]],
  'statistic/missing-cells.ts': [
    [
      'the cell is missing',
      { content: people(60), whole: true, says: ['the cell is missing', 'row 8', '“treatment”'] },
    ],
  ],
  'features/evaluation.ts': [
    ['the value is too large to hold', { never: byStudy }],
    ['the value is beyond the breaks', { never: byStudy }],
    [
      'the value is not among the levels',
      { study: 'dose', content: 'days,age,dose\n12,44,1.5\n', says: ['not among the levels'] },
    ],
  ],
  'fusion/glm-rows.ts': [
    [
      'refusal.problem',
      { study: 'counts', content: 'days,age\n-3,44\n', says: ['must not be negative', 'row 1'] },
    ],
    ['the coefficients to start from lack', { never: byStudy }],
  ],
  'fusion/glm-gram.ts': [
    [
      'far beyond the range of the response',
      { study: 'farAway', content: 'days,age\n12,44\n13,50\n', says: ['far beyond the range'] },
    ],
  ],
  'fusion/glm-expansion.ts': [
    [
      'numbers too large to send',
      { study: 'tooLarge', content: people(2000), says: ['too large to send'] },
    ],
  ],
  'fusion/estimate-site.ts': [
    [
      'do not determine',
      {
        study: 'ownFit',
        content: people(60).replaceAll('control', 'new'),
        says: ['do not determine treatment'],
      },
    ],
    [
      'leave no covariance to send',
      {
        study: 'ownFit',
        content: `${header}44,new,12\n50,control,13\n61,new,15\n`,
        says: ['no covariance to send'],
      },
    ],
    ['hardly determine', { never: 'of coefficients beyond 2⁴⁷: tried in estimate-refusals' }],
    ['solution.problem', { never: 'of no rows, which the first look refuses' }],
  ],
  'site/site-store.ts': [
    ['the ledger of this site cannot be trusted', { in: home }],
    ['another release of this site was made meanwhile', { in: coordinator }],
  ],
  'site/join.ts': [
    ['this link is not an invitation of a site', { in: links }],
    ['the study is not open yet', { in: links }],
    ['new AlreadyContributed', { in: further }],
    [
      'and this one has agreed on none',
      { never: 'of masks between sites: test/masked-study.test.ts' },
    ],
  ],
  'node/site/site-folder.ts': [['the signing key of this site cannot be read', { in: home }]],
  'node/site/site-rules-file.ts': [
    ['rules of this site cannot be read', { never: 'a browser keeps no rules of a site' }],
  ],
  'node/site/join-files.ts': [['you did not approve', { in: unapproved }]],
  'node/files/link-file.ts': [
    ['itself is on the command line', { never: commandLine }],
    ['holds no ', { in: links }],
    ['article(NAMES[link.purpose])', { in: links }],
    ['was given', { in: links }],
  ],
  'node/compute/host.ts': [
    ['not a regular file', { in: unapproved }],
    ['the folder has more than', { never: commandLine }],
    ['a link that does not lead to a file', { never: commandLine }],
  ],
  'cli/disclosure-flags.ts': [['names no rule of the audit', { never: commandLine }]],
  'cli/wording-flags.ts': [['does not start with a column of the study', { never: commandLine }]],
  'site/check-wording.ts': [
    ['would be read from one column', { in: meant }],
    ['the study has no column', { never: offered }],
    ['is a column of numbers', { never: offered }],
    ['a text can only stand for a level', { never: offered }],
    ['cannot stand for something else', { never: offered }],
  ],
  'cli/join.ts': [
    ['--add and --replace exclude each other', { never: 'of two round buttons one is chosen' }],
    ['a file and --from-result exclude each other', { never: commandLine }],
    ['no file was given', { in: unapproved }],
    ['with your rows was not given', { in: unapproved }],
    ['--retry-for is no length of time', { never: commandLine }],
  ],
  'protocol/transport.ts': [
    ['without TLS: anyone on the network', { in: arrival }],
    ['`cannot reach ', { in: arrival }],
    ['problem.code as RefusalCode', { in: coordinator }],
    ['redirects to another address', { never: 'a browser follows, and its policy stops it' }],
    ['answered with status', { in: arrival }],
    ['longer than', { never: 'of a helper, which a page does not ask' }],
  ],
  'protocol/verified.ts': [["the coordinator's answer cannot be trusted", { in: arrival }]],
  'protocol/client.ts': [
    [
      'the connection was lost during the withdrawal',
      { never: 'a page asks once, and repeats nothing' },
    ],
  ],
  'protocol/operation-client.ts': [
    ['does not come from a coordinator of this version', { in: arrival }],
  ],
};
