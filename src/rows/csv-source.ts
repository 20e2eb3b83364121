import { defined } from '../defined.ts';
import { csvReader } from '../table/csv.ts';
import { sniff } from '../table/dialect.ts';
import { draftScan } from '../table/draft-scan.ts';
import { detectEncoding, transcode } from '../table/encoding.ts';
import { fileNotation } from '../table/file-notation.ts';
import { saidAlone } from '../table/notation.ts';
import { type CsvSource, csvStart, pumpCsv } from './csv-bytes.ts';
import { csvRecords } from './csv-records.ts';
import { refuseForeign } from './foreign-files.ts';
import { evenRanges, fileVersion, type SourceReader } from './source.ts';

/** Text files. */
export const csvSource: SourceReader<CsvSource> = {
  kind: 'csv',
  matches: () => true,
  version: fileVersion,
  async open(opening) {
    const file = opening.address;
    const head = await opening.head();
    refuseForeign(head, file.path);
    const encoding = detectEncoding(head, opening.encoding);
    const text = encoding === 'utf-8' ? head : transcode(encoding).push(head);
    const { dialect, header } = sniff(text, opening.wanted, file.path);
    const notation = fileNotation(text, dialect, header, opening.decimal);
    const version = await fileVersion(opening);
    const { size: length } = await opening.file();
    return {
      kind: 'csv',
      name: file.path,
      header,
      length,
      version,
      file,
      dialect,
      encoding,
      notation,
      ...defined({ decimal: notation.shared.decimal }),
    };
  },
  // Other encodings are transcoded, so their bytes are not those of the text.
  cut: ({ encoding, length }, pieces) => (encoding === 'utf-8' ? evenRanges(length, pieces) : []),
  async scan(reading, { wanted, texts, missing, decimal, misfits, notation: known }) {
    const { dialect, header, name } = reading.source;
    const { notation: shown } = reading.source;
    const notation = known === 'declared' ? saidAlone(shown) : shown;
    const { start, range } = csvStart(reading.range);
    const options = {
      ...range,
      at: start,
      texts: new Set(texts),
      missing,
      notation,
      ...defined({ decimal, misfits }),
    };
    const { stream, draft } = draftScan(dialect, header, wanted, name, options);
    const edges = await pumpCsv(reading, start, stream);
    return { draft: draft(), edges };
  },
  async read(reading, columns, sink) {
    const { dialect, header, name, notation } = reading.source;
    const { start, range } = csvStart(reading.range);
    const plan = { file: name, dialect, header, columns, notation };
    return pumpCsv(reading, start, csvReader(plan, sink, range));
  },
  text: (files, source) => ({
    delimiter: source.dialect.delimiter,
    ...defined({ decimal: source.decimal }),
    records: csvRecords(files, source),
  }),
};
