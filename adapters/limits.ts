/**
 * Bounds that only the way to a service has; the bounds of the system are in
 * `core/model/limits.ts`.
 */

/**
 * How long an admin token that was read is believed: a rotated one is known within a minute, and a
 * busy API asks Secrets Manager (5,000 a second per region) once a minute for each instance.
 */
export const adminTokenKeptMs = 60_000;
/**
 * How long the cells of a pool are believed: they change slowly, and so do their summaries once
 * there are edges; but the first edge may come any moment.
 */
export const poolCellsKeptMs = { withEdges: 2_000, withoutEdges: 250 };

/** How long the keys of an issuer are fresh; a key that is not among them is looked for at once. */
export const issuerKeysFreshMs = 600_000;
/** How often an issuer is asked, whatever comes: keys are changed some times a year. */
export const issuerAskedEveryMs = 10_000;
/** How long keys are believed while their issuer cannot be reached: the longest life of a token. */
export const issuerKeysBelievedMs = 24 * 3_600_000;
/** Both documents of an issuer together: the authorizer has five seconds. */
export const issuerAnswerMsMax = 3_000;
/** A list of keys is some kilobytes; that of the largest issuers has a dozen. */
export const issuerAnswerBytesMax = 256 * 1_024;
export const issuerKeysMax = 100;
/** RFC 7518, 3.3: "A key of size 2048 bits or larger MUST be used". */
export const rsaBitsMin = 2_048;
/** The headers of a request to the gateway are 10,240 bytes at most, all together. */
export const signedTokenLengthMax = 8_192;

/** ListObjectsV2 and DeleteObjects both take 1,000 (their API reference). */
export const objectsPerPageMax = 1_000;
/**
 * Pages of outputs that one purge deletes. A page takes about 100 ms and the function has fifteen
 * seconds, so more would end without an answer; a purge that is asked for again goes on.
 */
export const outputPagesPerPurgeMax = 100;
/**
 * Pages of one query that is read whole. A page has 1 MB at most (Query), and a function less
 * memory than this many: beyond it the query asks for the wrong thing.
 */
export const queryPagesMax = 400;
/**
 * Rows outside of a cell's partition that one load reads because rows inside cannot be read: one
 * for each job of the cell and each such edge. Fifty batches; beyond it the
 * cell as a whole is damaged.
 */
export const besideRowsMax = 5_000;
/** Cells of more than one page that a function remembers: far more than one serves in its life. */
export const deepCellsMax = 1_000;
/** Rows of one transaction unpacked: it has 4 MB (TransactWriteItems), and JSON is longer. */
export const batchPartBytesMax = 16_000_000;
/** Rows of one part of a batch: a transaction takes 100, and one is the row of the part itself. */
export const batchPartRowsMax = 99;
/** Parts that one look of the minute tick stores, of each partition: some 30 ms each. */
export const batchPartsAtOnceMax = 25;

/** How often a job is looked for that a pass may be moving between its cell and the shelf. */
export const recallAttemptsMax = 3;
/** How often an upload in parts is ended that others end or change at the same moment. */
export const completionsMax = 3;
