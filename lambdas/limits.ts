/**
 * Bounds that only the functions have; the bounds of the system are in `core/model/limits.ts`.
 */

/** What "later" means in an answer: throttling and conflicts are over within a second. */
export const retryAfterSeconds = 1;
/** A cursor: a list's name, eight characters of a digest and a key, in base64url. */
export const cursorLengthMax = 512;
/**
 * Times that a YAML document may repeat what it named once: a jobspec has twenty tasks, and a small
 * document must not unfold into a huge one.
 */
export const yamlAliasesMax = 20;
/** Executions of a job that are read at once: rows of some 300 bytes, and a page holds 1 MB. */
export const executionsPageMax = 1_000;
/** Where the audit trail begins when nobody says since when: a day ago. */
export const auditSinceDefaultMs = 24 * 3_600_000;
/** Lines of the log that one pass writes about rows of a plan that were refused. */
export const refusedLinesMax = 20;
/**
 * How often an edge that enrols looks for a cell with room: each time others filled the one that it
 * was to get, 250 edges at once.
 */
export const enrolAttemptsMax = 20;
/** Sort keys of rows that cannot be read in one line of the log: the count says the rest. */
export const unreadableRowsLoggedMax = 20;
/** A batch this old has lost the request that brought it: functions of the API live 15 s. */
export const batchAloneMs = 30_000;
/** The row of a kept answer holds 400 KB (DynamoDB), and something besides the answer. */
export const keptAnswerBytesMax = 380_000;
/**
 * How long a process leaves a cell to the stream that it found busy, or lost a race for: some
 * passes of a cell under load, which take 20 to 50 ms each.
 */
export const busyCellMs = 250;
/** The longest: a cell that became quiet is found so within this. */
export const busyCellMsMax = 2_000;
/** Cells that one process remembers to be busy: some 100 bytes each. */
export const busyCellsMax = 1_000;
/**
 * Cells of edges that one process remembers, only to try them first: some 100 bytes each.
 */
export const knownEdgesMax = 20_000;
/** How long who ends an edge is alone with it: longer than any function lives, which is 60 s. */
export const endingAloneMs = 90_000;
/** A request that waits for offers looks again after this: a cell is read whole each time. */
export const offerLookMs = 1_000;
/**
 * Rows that a query of a list counts for at least, of `listRowsExaminedMax`: it takes as long as so
 * many. A hundred queries, some milliseconds each, are what an answer may take.
 */
export const queryRowsMin = 20;
/** Cells that a list looks into for whether there is more, when its page is full. */
export const laterCellsMax = 10;
