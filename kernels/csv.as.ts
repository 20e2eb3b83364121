// CSV records to columns in one pass (RFC 4180). Every cell is read exactly once, when its end is in the buffer;
// if the bytes end early, the cursor stays at the start of the unfinished field.
import {
  CLOSED, FIELD_BYTES, HIGH, KIND, LOW, MARK, MARKERS, MARKER_COUNT, NUMBER, OTHER_MARK, OUT, QUOTED_MARK,
  SAFE_HIGH, SAFE_LOW, SURVEY, SURVEYED, TABLE, TABLE_MASK, TEXT,
} from './csv-field.as';
import { scanNumber } from './number.as';
import { fieldAfter, plainCells } from './plain-cells.as';
import { countSpelling, findSpelling, spellingValue } from './spellings.as';
import { innerNumber, noteNumber, noteOtherDecimal, noteUnlisted } from './survey.as';

// The value of a cell that the kernel cannot read; to refuse it, JavaScript calls doubtRecord.
@external("env", "cell")
declare function cell(field: i32, row: i32, from: usize, length: i32, how: i32): f64;

// Always throws.
@external("env", "refuse")
declare function refuse(why: i32, field: i32, row: i32): void;

const QUOTE: u32 = 34, CR: u32 = 13, LF: u32 = 10, SPACE: u32 = 32, TAB: u32 = 9;

// How a cell reached JavaScript, and why a record is refused; mirrored in src/table/csv-fields.ts.
const WAS_QUOTED: i32 = 1, HAS_ESCAPES: i32 = 2, OUT_OF_RANGE: i32 = 4;
const RAGGED: i32 = 1, STRAY_QUOTE: i32 = 2, TEXT_AFTER_QUOTE: i32 = 3, TOO_LONG: i32 = 4, DOUBTED: i32 = 5;

let fields: usize = 0;
let width: i32 = 0;
let delimiter: u32 = 0;
let newline: u32 = 0;
let longest: i32 = 0;

let cursor: usize = 0;
let record: usize = 0;
let end: usize = 0;
let column: i32 = 0;
let doubted: bool = false;
let missing: i32 = 0;

let textFrom: usize = 0;
let textTo: usize = 0;
let how: i32 = 0;

/** Says what to read: `fieldCount` descriptors at `descriptors`, and the longest record allowed in bytes. */
export function openCsv(descriptors: usize, fieldCount: i32, delimiterByte: u32, newlineByte: u32, limit: i32): void {
  fields = descriptors;
  width = fieldCount;
  delimiter = delimiterByte;
  newline = newlineByte;
  longest = limit;
  column = 0;
}

/** Start of the first field that is not read yet. */
export function csvCursor(): usize {
  return cursor;
}

/** Start of the cursor's record. */
export function csvRecord(): usize {
  return record;
}

/** The field of the cursor; 0 between records. */
export function csvField(): i32 {
  return column;
}

/** How many missing cells were read, over all blocks. */
export function csvMissing(): i32 {
  return missing;
}

/** Marks the current record: it is refused at its end, unless its shape is refused first. */
export function doubtRecord(): void {
  doubted = true;
}

// The first delimiter, newline or quote at or after s; at least `end` if there is none.
function fieldEnd(s: usize): usize {
  const d = i8x16.splat(<i8>delimiter), n = i8x16.splat(<i8>newline), q = i8x16.splat(<i8>QUOTE);
  while (s < end) {
    const sixteen = v128.load(s);
    const hit = v128.or(v128.or(i8x16.eq(sixteen, d), i8x16.eq(sixteen, n)), i8x16.eq(sixteen, q));
    const bits = i8x16.bitmask(hit);
    if (bits != 0) return s + <usize>ctz<i32>(bits);
    s += 16;
  }
  return end;
}

// The quote that closes a field whose text starts at s, or 0.
function closingQuote(s: usize): usize {
  const q = i8x16.splat(<i8>QUOTE);
  while (s < end) {
    const bits = i8x16.bitmask(i8x16.eq(v128.load(s), q));
    if (bits == 0) {
      s += 16;
      continue;
    }
    s += <usize>ctz<i32>(bits);
    if (s + 1 >= end) return 0;
    if (load<u8>(s, 1) != QUOTE) return s;
    how |= HAS_ESCAPES;
    s += 2;
  }
  return 0;
}

// Finds the text of the field at s; returns its delimiter or newline, or 0 if that is not in the buffer yet.
function splitField(s: usize, field: i32, row: i32): usize {
  how = 0;
  if (load<u8>(s) != QUOTE) {
    const stop = fieldEnd(s);
    if (stop >= end) return 0;
    const c: u32 = load<u8>(stop);
    if (c == QUOTE) refuse(STRAY_QUOTE, field, row);
    textFrom = s;
    textTo = stop;
    if (c == LF && newline == LF && stop > s && load<u8>(stop - 1) == CR) textTo--;
    return stop;
  }
  how = WAS_QUOTED;
  const close = closingQuote(s + 1);
  if (close == 0) return 0;
  textFrom = s + 1;
  textTo = close;
  let after = close + 1;
  if (load<u8>(after) == CR && newline == LF) {
    if (++after >= end) return 0;
    if (load<u8>(after) != LF) refuse(TEXT_AFTER_QUOTE, field, row);
  }
  const c: u32 = load<u8>(after);
  if (c != delimiter && c != newline) refuse(TEXT_AFTER_QUOTE, field, row);
  return after;
}

// The value of the last text found.
function settleText(field: usize, index: i32, row: i32): f64 {
  const value = textValue(field, index, row);
  if (value != value) missing++;
  return value;
}

// From the table of spellings, else from JavaScript.
function textValue(field: usize, index: i32, row: i32): f64 {
  const length = <i32>(textTo - textFrom);
  if ((how & HAS_ESCAPES) == 0) {
    const entry = findSpelling(load<usize>(field, TABLE), load<u32>(field, TABLE_MASK), textFrom, length);
    if (entry != 0) {
      countSpelling(entry);
      return spellingValue(entry);
    }
  }
  if (load<i32>(field, CLOSED) != 0) {
    noteUnlisted(load<usize>(field, SURVEY));
    return NaN;
  }
  return cell(index, row, textFrom, length, how);
}

@inline
function isBlank(c: u32): bool {
  return c == SPACE || c == TAB;
}

// A cell of a number column: quoted, padded with blanks, missing, out of range or not a number.
function oddNumber(field: usize, index: i32, row: i32, s: usize, out: usize): usize {
  const stop = splitField(s, index, row);
  if (stop == 0) return 0;
  let from = textFrom, to = textTo;
  while (from < to && isBlank(load<u8>(from))) from++;
  while (to > from && isBlank(load<u8>(to - 1))) to--;
  const survey = load<usize>(field, SURVEY);
  const mark = (how & WAS_QUOTED) != 0 ? load<u32>(field, QUOTED_MARK) : load<u32>(field, MARK);
  if (from < to && scanNumber(from, mark, out) == to) {
    const value = load<f64>(out);
    const markers = load<usize>(field, MARKERS);
    const markersEnd = markers + (<usize>load<i32>(field, MARKER_COUNT) << 4);
    for (let p = markers; p < markersEnd; p += 16) {
      if (value == load<f64>(p)) {
        store<f64>(p, load<f64>(p, 8) + 1, 8);
        store<f64>(out, NaN);
        missing++;
        return stop;
      }
    }
    if (!(value >= load<f64>(field, LOW) && value <= load<f64>(field, HIGH))) {
      cell(index, row, textFrom, <i32>(textTo - textFrom), how | OUT_OF_RANGE);
    }
    if (survey != 0) noteNumber(survey, from, value, load<f64>(field, SAFE_LOW), load<f64>(field, SAFE_HIGH));
    return stop;
  }
  if (survey != 0 && from < to && scanNumber(from, load<u32>(field, OTHER_MARK), out) == to) {
    noteOtherDecimal(survey);
  }
  store<f64>(out, settleText(field, index, row));
  return stop;
}

// Bytes of the line end at s; 0 if the line is not empty.
@inline
function lineEnd(s: usize): usize {
  const c: u32 = load<u8>(s);
  if (c == newline) return 1;
  return c == CR && load<u8>(s, 1) == newline ? 2 : 0;
}

// Reads the cell at s; returns its delimiter or newline, or 0 if that is not in the buffer yet.
@inline
function oneCell(s: usize, field: usize, kind: i32, c: i32, rows: i32): usize {
  if (kind != NUMBER && kind != SURVEYED) {
    const stop = splitField(s, c, rows);
    if (kind == TEXT && stop != 0) {
      store<f64>(load<usize>(field, OUT) + (<usize>rows << 3), settleText(field, c, rows));
    }
    return stop;
  }
  const survey = load<usize>(field, SURVEY), mark = load<u32>(field, MARK);
  if (survey != 0) {
    const stop = innerNumber(survey, s, mark, delimiter, newline);
    if (stop != s) return stop;
  }
  const out = load<usize>(field, OUT) + (<usize>rows << 3);
  let next = scanNumber(s, mark, out);
  const isNumber = next != s;
  let after: u32 = load<u8>(next);
  if (after == CR && load<u8>(next, 1) == newline && newline == LF) after = load<u8>(++next);
  const value = load<f64>(out), low = load<f64>(field, SAFE_LOW), high = load<f64>(field, SAFE_HIGH);
  if (!isNumber || (after != delimiter && after != newline) || !(value >= low && value <= high)) {
    return oddNumber(field, c, rows, s, out);
  }
  if (survey != 0) noteNumber(survey, s, value, low, high);
  return next;
}

/**
 * Reads fields from `from` to `to` (64 bytes after it must be readable, the first 16 of them zero). Records that start
 * at `stop` or later are not read, and nothing is read once `rows` reaches `capacity`. Returns the rows of the block.
 */
export function readRecords(from: usize, to: usize, stop: usize, recordStart: usize, rows: i32, capacity: i32): i32 {
  end = to;
  record = recordStart;
  let s = from;
  let c = column;
  while (s < to) {
    if (c == 0) {
      if (s >= stop || rows == capacity) break;
      const blank = lineEnd(s);
      if (blank != 0) {
        s += blank;
        record = s;
        continue;
      }
    }
    const field = fields + <usize>min(c, width) * FIELD_BYTES;
    const kind = load<i32>(field, KIND);
    let next: usize = s;
    if (kind == NUMBER) next = plainCells(s, field, <usize>rows << 3, delimiter, newline);
    if (next != s) {
      c = <i32>((fieldAfter() - fields) / FIELD_BYTES) - 1;
      next--;
    } else {
      next = oneCell(s, field, kind, c, rows);
    }
    if (next == 0) break;
    s = next + 1;
    if (load<u8>(next) == delimiter) {
      c++;
    } else {
      if (c + 1 != width) refuse(RAGGED, c + 1, rows);
      if (<i32>(s - record) > longest) refuse(TOO_LONG, 0, rows);
      if (doubted) refuse(DOUBTED, 0, rows);
      c = 0;
      rows++;
      record = s;
    }
  }
  cursor = s;
  column = c;
  return rows;
}
