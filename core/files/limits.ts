/** Bounds of the files of jobs: in the name the unit, in the comment the source. */

/** A scan or a model of today; 800 parts, of which S3 takes 10,000. */
export const fileBytesMax = 53_687_091_200;
/** S3: what one PUT takes, and only of one piece does it compare the SHA-256 of the whole. */
export const filePutBytesMax = 5_368_709_120;
/** What is larger is sent in parts: a link of 10 megabits takes more than a minute for it. */
export const fileInPartsBytesMin = 100_000_000;
/**
 * S3: 5 MB to 5 GB. A broken connection loses no more, and the sums of all parts of a file fit a
 * body. It never changes: what a file comes to in parts follows from it.
 */
export const filePartBytes = 67_108_864;
export const filePartsMax = fileBytesMax / filePartBytes;
/** Addresses of one answer, which has 6 MB; as much as an hour takes at 15 megabits. */
export const partAddressesMax = 100;
/**
 * A manifest is read whole by functions and agents; ten thousand files of a tree take two
 * megabytes.
 */
export const manifestBytesMax = 8 * 1024 * 1024;
export const manifestEntriesMax = 20_000;
/** Inputs of a job, which its intent carries to every pass; a tree of any size is one of them. */
export const inputsMax = 32;
/** An address of an input: its job carries 32 of them to every pass of its cell. */
export const inputUrlLengthMax = 1_000;
/** Linux: a path has 4,096 bytes and a name 255; the directory of a chunk takes some. */
export const filePathBytesMax = 1_024;
export const fileNameBytesMax = 255;
/** Digests of one request fit a body, and their addresses an answer. */
export const filesAskedMax = 1_000;
export const fileAddressesMax = 500;
/** How long an upload or a download may take to begin. */
export const fileAddressSeconds = 3_600;
/**
 * From this age on a file counts as missing for who hands in a job: stored again, it stays. It is
 * removed at three times that (`lib/limits.ts`).
 */
export const filesFreshMs = 30 * 86_400_000;
/** Looks at the store at once, of one request: S3 takes 5,500 a second of a prefix. */
export const fileLooksAtOnce = 50;
/** Manifests that a function remembers the digests of: the edges of a job ask one after another. */
export const manifestsRememberedMax = 8;

/** Patterns of a job's results: its spec travels with the work, in a document of 8 KB. */
export const outputPathsMax = 16;
export const outputPathLengthMax = 256;
/** What a job of a few large pictures needs; a job says when it is more. */
export const outputsMbDefault = 1_024;
/** The largest that is said: what a link of 100 megabits takes in an hour. */
export const outputsMbMax = 51_200;
/** For how long results may be kept: one rule of the bucket each, of at most a thousand. */
export const keptDays = [1, 3, 7, 14, 30, 90, 180, 365] as const;
export const keepDaysMax = 365;
/** As the text that chunks print. */
export const keepDaysDefault = 30;
/** A result that is older is sent once more: it is kept from the first time on. */
export const resultsFreshMs = 12 * 3_600_000;
/** Lists of results that a page is made of: ten thousand bytes each, read a few at a time. */
export const resultListsPerPageMax = 500;
export const resultListBytesPerPageMax = 16 * 1024 * 1024;
export const resultListsAtOnce = 16;
/** What one jobspec stages: each job may have as many inputs. */
export const stagesMax = 32;
/** What the submitter of a jobspec sends for its steps, all together. */
export const stagedBytesMax = 64 * 1024 * 1024;
/** Inputs that an edge says it has, the last ones used: at ten bits each one in 80 is wrong. */
export const heldFilesMax = 64;
/** The largest output that a job may ask to keep whole: a log of a day, sent in minutes. */
export const outputMbMax = 1_024;
