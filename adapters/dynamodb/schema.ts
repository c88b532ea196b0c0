/**
 * The one table: what its keys and its index are called, and how keys begin. The template makes the
 * table and its stream's filters of this, and `keys.ts` the keys of rows; nothing else spells them.
 *
 * A cell's partition holds everything a pass reads and nothing more, so that one consistent Query
 * loads it. What is bulky or only read one at a time lies outside. The one index is sparse: a row
 * is in it when it carries the two index keys; these are spread so that no partition is named after
 * a state that many rows share.
 */
export const tableKeys = { partition: 'pk', sort: 'sk' } as const;

/** Seconds since 1970: the service removes the row some time after it. */
export const expiryAttribute = 'expiresAt';

export const listIndex = {
  name: 'list',
  partition: 'listPk',
  sort: 'listSk',
  /** What the index carries beside its keys: what lists filter by. */
  attributes: ['state', 'queue', 'labels', 'name'],
} as const;

/** Partitions, by what they hold. */
export const partitions = {
  cell: 'CELL#',
  job: 'JOB#',
  edge: 'EDGE#',
  pool: 'POOL#',
  token: 'TOKEN#',
  tokenId: 'TOKENID#',
  idempotency: 'IDEM#',
  /** One a day. */
  audit: 'AUDIT#',
  stats: 'STATS#',
  /** Jobs whose last fold may have been lost. */
  pendingRollups: 'OWED#',
} as const;

/** Rows of a cell. A kind that ends in `#` is followed by a name: there is one for each. */
export const cellRows = {
  meta: 'META',
  tick: 'TICK',
  edge: 'EDGE#',
  facts: 'FACTS#',
  report: 'REPORT#',
  work: 'WORK#',
  intent: 'ASK#',
  slice: 'SHARE#',
  queue: 'QUEUE#',
} as const;

/** What a pass over the cell does not write itself, and what therefore wakes one. */
export const wakingRows = [
  cellRows.facts,
  cellRows.report,
  cellRows.edge,
  cellRows.intent,
  cellRows.queue,
  cellRows.tick,
] as const;

/** Rows of a job. Those of its cells carry the counts that the rollup folds. */
export const jobRows = {
  spec: 'SPEC',
  status: 'STATUS',
  cell: 'CELL#',
  execution: 'EXEC#',
  chunk: 'CHUNK#',
  event: 'EVENT#',
  dependant: 'DEPENDANT#',
} as const;

export const edgeRows = { pointer: 'POINTER', facts: 'FACTS' } as const;
export const poolRows = { pool: 'POOL', cell: 'CELL#', queue: 'QUEUE#' } as const;
export const statsRows = { counts: 'STATS', rate: 'RATE#' } as const;

/** Partitions of the index. */
export const lists = {
  jobs: 'JOBS#',
  edgeJobs: 'EDGEJOBS#',
  cells: 'CELLS',
  pools: 'POOLS',
  tokens: 'TOKENS',
} as const;
