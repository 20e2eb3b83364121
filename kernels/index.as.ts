export * from './arithmetic.as';
export * from './gram.as';
export * from './exact.as';
export * from './cholesky.as';
export * from './eigen.as';
export { csvCursor, csvField, csvRecord, doubtRecord, openCsv, readRecords } from './csv.as';
export { scanNumber, usePowersOfFive } from './number.as';
export { addSpelling, findSpelling } from './spellings.as';
export { fillNormals, normalStreamBytes, respond, ridgeOfGram, seedNormals } from './simulate.as';
