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
  submission: 'JOBSPEC#',
  schedule: 'SCHEDULE#',
  webhook: 'WEBHOOK#',
  edge: 'EDGE#',
  pool: 'POOL#',
  token: 'TOKEN#',
  tokenId: 'TOKENID#',
  idempotency: 'IDEM#',
  /** One a day. */
  audit: 'AUDIT#',
  stats: 'STATS#',
  /** Parts of batches of jobs that are accepted and not stored yet. */
  batch: 'BATCH#',
  /** What happened in the fleet, for a day. */
  fleetLog: 'EVENTS',
  /** Jobs whose last rollup may have been lost. */
  pendingRollups: 'OWED#',
} as const;

/** Of the keys of requests, those that are places of open subscriptions begin so. */
export const placesBegin = 'IDEM#streams:';

/** Rows of a cell. A kind that ends in `#` is followed by a name: there is one for each. */
export const cellRows = {
  meta: 'META',
  tick: 'TICK',
  edge: 'EDGE#',
  facts: 'FACTS#',
  report: 'REPORT#',
  seen: 'SEEN#',
  work: 'WORK#',
  intent: 'ASK#',
  slice: 'SHARE#',
  queue: 'QUEUE#',
  pool: 'POOL',
} as const;

/** What a pass over the cell does not write itself, and what therefore wakes one. */
export const wakingRows = [
  cellRows.facts,
  cellRows.report,
  cellRows.edge,
  cellRows.intent,
  cellRows.queue,
  cellRows.pool,
  cellRows.tick,
] as const;

/**
 * On a waking row that its writer's own pass has seen, in the same commit: it wakes no other. Every
 * other write of such a row takes the mark away.
 */
export const passMark = 'passed';

/** Rows of a job. Those of its cells carry the counts that the rollup folds. */
export const jobRows = {
  spec: 'SPEC',
  status: 'STATUS',
  cell: 'CELL#',
  execution: 'EXEC#',
  chunk: 'CHUNK#',
  event: 'EVENT#',
  generation: 'GEN#',
  dependant: 'DEPENDANT#',
  /** Parts of an output that somebody follows. */
  live: 'LIVE#',
  /** Ends of which the job's own receiver is notified. */
  notice: 'NOTICE',
} as const;

/** On counts that the rollup has to fold: no pass has written the status that follows from them. */
export const foldedBy = { attribute: 'fold', rollup: 'rollup' } as const;

/**
 * On a status whose last write has changed the state: whoever tells of events looks at these, and
 * at none of the many writes that only count.
 */
export const statusNews = { attribute: 'news', yes: 'yes', no: 'no' } as const;

export const edgeRows = {
  pointer: 'POINTER',
  facts: 'FACTS',
  /** Of an edge that is a cluster. */
  cluster: 'CLUSTER',
  /** The digest that matching reads. */
  graph: 'GRAPH',
  /** Whose output somebody follows there. */
  live: 'LIVE',
} as const;
/** An open one has something that is still to be done: then it is in a list of its own. */
export const submissionRows = { submission: 'SUBMISSION', open: 'OPEN' } as const;
export const scheduleRows = { schedule: 'SCHEDULE', run: 'RUN#' } as const;
/** What users set, and how far its receiver has got. */
export const webhookRows = { webhook: 'WEBHOOK', delivery: 'DELIVERY' } as const;
export const poolRows = { pool: 'POOL', cell: 'CELL#', queue: 'QUEUE#' } as const;
export const statsRows = { counts: 'STATS', rate: 'RATE#' } as const;

/** Partitions of the index. */
export const lists = {
  jobs: 'JOBS#',
  submissions: 'JOBSPECS#',
  openSubmissions: 'OPENJOBSPECS',
  /** By when they were looked at. */
  waitingSubmissions: 'WAITINGJOBSPECS',
  /** By their next times. */
  schedules: 'SCHEDULES',
  webhooks: 'WEBHOOKS',
  /** Jobs with an end that was not received, by when that is due. */
  notices: 'NOTICES',
  edgeJobs: 'EDGEJOBS#',
  cells: 'CELLS',
  pools: 'POOLS',
  tokens: 'TOKENS',
  /** Edges of a pool that have a graph. */
  clusters: 'CLUSTERS#',
} as const;
