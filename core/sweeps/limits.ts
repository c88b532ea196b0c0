/** Bounds of sweeps: in the name the unit, in the comment the source. */

/** A spec has 64 KB at most, so more sets of parameters than this do not fit anyway. */
export const sweepItemsMax = 10_000;
/** Each is a variable of the chunk's environment. */
export const sweepNamesMax = 64;
export const sweepNameLengthMax = 64;
/** Linux: a word of a command has 128 KB; a parameter is a small part of one. */
export const sweepValueLengthMax = 4_096;
/** One line of a file: what a chunk finds in `EDGEWISE_PARAMS`. */
export const sweepRecordBytesMax = 16 * 1024;
/** Ten million lines of fifty bytes, which are looked through while the submitter waits. */
export const sweepFileBytesMax = 512 * 1024 * 1024;
/** A file is looked through in pieces of this size; a function has 512 MB or less. */
export const sweepPieceBytes = 8 * 1024 * 1024;
/** The index of a file says where a line begins at least this often. */
export const sweepMarkBytes = 64 * 1024;
/** 512 MB in marks of 64 KB, twice over. */
export const sweepMarksMax = 16_384;
/** Its index: two numbers a mark, and the names. */
export const sweepIndexBytesMax = 1024 * 1024;
/** Chunks whose parameters one answer holds: an edge asks again while it works. */
export const sweepChunksAskedMax = 500;
/** Pieces between two marks that are read for one answer. */
export const sweepMarksReadMax = 64;
/** Chunks of a sweep that one page of a filtered list looks at. */
export const sweepChunksExaminedMax = 20_000;
/** Indexes that a function remembers: the edges of a job ask one after another. */
export const sweepIndexesRememberedMax = 8;
