import { DataError } from '../data-error.ts';

/** A kind of file that is no table here, by its first bytes or by the end of its name. */
interface ForeignFile {
  readonly starts: readonly (string | readonly number[])[];
  readonly ends?: RegExp;
  readonly is: string;
  readonly remedy: string;
}

const asCsv = 'save the table as CSV there, and give that file';

/** In this order: a file of R is compressed by gzip, and so is any other. */
const foreign: readonly ForeignFile[] = [
  {
    starts: [
      'RDX2\n',
      'RDX3\n',
      'RDA2\n',
      'RDA3\n',
      'X\n\0\0\0',
      'A\n2\n',
      'A\n3\n',
      [0x1f, 0x8b],
      'BZh',
      [0xfd, 0x37, 0x7a, 0x58, 0x5a],
    ],
    ends: /\.(rds|rda|rdata)$/i,
    is: 'an R file',
    remedy: 'in R, write.csv(x, "table.csv", row.names = FALSE) saves the table as CSV',
  },
  {
    starts: ['<stata_dta>'],
    is: 'a Stata file',
    remedy: 'in Stata, export delimited saves the table as CSV',
  },
  {
    starts: [[0x6e], [0x6f], [0x71], [0x72], [0x73]],
    ends: /\.dta$/i,
    is: 'a Stata file',
    remedy: 'in Stata, export delimited saves the table as CSV',
  },
  { starts: ['$FL2', '$FL3'], is: 'an SPSS file', remedy: asCsv },
  {
    starts: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc2, 0xea, 0x81, 0x60]],
    is: 'a SAS file',
    remedy: 'in SAS, proc export saves the table as CSV',
  },
  { starts: ['HEADER RECORD*******'], is: 'a SAS transport file', remedy: asCsv },
  { starts: ['SQLite format 3\0'], is: 'an SQLite database', remedy: asCsv },
  {
    starts: ['ARROW1\0\0', 'FEA1'],
    is: 'an Arrow file',
    remedy: 'save the table as Parquet or CSV',
  },
  { starts: [[0x89, 0x48, 0x44, 0x46]], is: 'an HDF5 file', remedy: asCsv },
  { starts: [[0x1f, 0x8b]], is: 'compressed by gzip', remedy: 'unpack it and give what was in it' },
  {
    starts: [[0xfd, 0x37, 0x7a, 0x58, 0x5a]],
    is: 'compressed by xz',
    remedy: 'unpack it and give what was in it',
  },
  {
    starts: [[0x28, 0xb5, 0x2f, 0xfd]],
    is: 'compressed by zstd',
    remedy: 'unpack it and give what was in it',
  },
  {
    starts: ['PK\x03\x04'],
    is: 'a workbook or a zip archive',
    remedy: 'save the sheet as CSV, or unpack the archive',
  },
  { starts: [[0xd0, 0xcf, 0x11, 0xe0]], is: 'a workbook', remedy: 'save the sheet as CSV' },
  {
    starts: [[0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], 'GIF8'],
    is: 'an image',
    remedy:
      'give the file with the table; for a study of images, the folder with a sub-folder for each class',
  },
  {
    starts: [
      [0x80, 2],
      [0x80, 3],
      [0x80, 4],
      [0x80, 5],
    ],
    is: 'pickled by Python',
    remedy:
      'save the table as CSV there; CIFAR has a binary version: cifar-10-binary.tar.gz, cifar-100-binary.tar.gz',
  },
  { starts: ['%PDF-'], is: 'a PDF', remedy: 'give the file with the table' },
  { starts: ['<!doctype html', '<html'], is: 'a web page', remedy: 'download the table itself' },
];

/** Refuses a file of another program by name; read as text, it would be refused for its encoding, which misleads. */
export function refuseForeign(head: Uint8Array, path: string): void {
  const text = new TextDecoder('latin1').decode(head.subarray(0, 64)).toLowerCase();
  const starts = (start: string | readonly number[]) =>
    typeof start === 'string'
      ? text.startsWith(start.toLowerCase())
      : start.every((byte, at) => head[at] === byte);
  const found = foreign.find((one) => (one.ends?.test(path) ?? true) && one.starts.some(starts));
  if (found === undefined) return;
  throw new DataError(
    `the file is ${found.is}, neither text nor Parquet`,
    { file: path },
    found.remedy,
  );
}
