// One field of the header; mirrored in src/table/csv-fields.ts. The field after the last is always SKIP.
export const FIELD_BYTES: usize = 128;
export const KIND: usize = 0; // SKIP, NUMBER, TEXT or SURVEYED
export const OUT: usize = 4; // column of the block
export const MARK: usize = 8; // decimal mark of a bare cell
export const QUOTED_MARK: usize = 12; // decimal mark of a quoted cell
export const TABLE: usize = 16; // spellings: missing markers, levels
export const TABLE_MASK: usize = 20;
export const MARKERS: usize = 24; // numbers that mean missing: value f64, count f64
export const MARKER_COUNT: usize = 28;
export const SAFE_LOW: usize = 32; // values in [low, high] need no further look
export const SAFE_HIGH: usize = 40;
export const LOW: usize = 48; // values outside are refused
export const HIGH: usize = 56;
export const SURVEY: usize = 64; // statistics of a survey, or 0
export const OTHER_MARK: usize = 68; // the decimal mark the survey suspects
export const CLOSED: usize = 72; // 1: the survey wants no more new texts

// SURVEYED: a number of which a survey keeps statistics.
export const NUMBER: i32 = 1, TEXT: i32 = 2, SURVEYED: i32 = 3;
