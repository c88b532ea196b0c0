/**
 * Every bound of the system: its name carries the unit, the comment carries the source.
 * A number that limits something and is not here is a defect.
 */

/** A cell is read whole by every pass; 250 edges keep that Query in few pages. */
export const cellEdgesMax = 250;
/**
 * Waiting jobs for which a pass looks for edges, besides those of which it knows that it would be
 * in vain; later ones wait their turn in submission order.
 */
export const backlogTriesMax = 1_000;
/** TransactWriteItems takes 100 actions; one is the cell's META row. */
export const planRowsMax = 99;
/** How often a pass may lose the race for META before it leaves the rest to the next wake-up. */
export const passAttemptsMax = 8;

/** Jobs of one batch (`api.md`). */
export const batchJobsMax = 100;
/**
 * Jobs in a cell up to which whoever brings something new runs its pass: more are read faster than
 * they are decided about one by one.
 */
export const quietJobsMax = 64;
/**
 * Rows that storing a job takes in one transaction with its plan: spec, status, intent, audit and
 * the kept answer.
 */
export const creationRowsMax = 5;
/**
 * The same for whoever brings reports: with more jobs at work other edges report at the same time,
 * and of passes that meet all but one are in vain.
 */
export const quietJobsForReportsMax = 4;
/**
 * Edges of one cell whose reports are applied by whoever takes them in: more come together when
 * there is much to do, and then one pass over all that is there costs less.
 */
export const reportsAtOnceMax = 4;

export const chunksMax = 10_000_000;
export const attemptsMax = 100;
export const attemptsDefault = 3;
export const backoffSecondsDefault = 5;
export const backoffSecondsMax = 3_600;
export const priorityMax = 100;
export const priorityDefault = 50;
export const powerMax = 1_000_000_000;
/** Weights of queues: a millionth of another is as good as nothing, and the table stores it. */
export const queueWeightMin = 0.001;
export const queueWeightMax = 1_000;
export const jobLabelsMax = 64;
export const labelLengthMax = 256;
export const specBytesMax = 64 * 1024;
export const bodyBytesMax = 256 * 1024;
export const nameLengthMax = 64;
export const idempotencyKeyLengthMax = 128;
export const dependenciesMax = 20;
export const listLimitDefault = 50;
export const listLimitMax = 500;
/**
 * Lambda: a synchronous answer has at most 6 MB (quota of the service); headers and the frame of
 * the page need some.
 */
export const answerBytesMax = 6_000_000;

/**
 * A job with `power` alone is cut into this many chunks, or more when they would not fit an edge.
 */
export const chunksDefault = 4;
/** Of any one resource: what the API takes; a claim above is cut to it, however it arrives. */
export const edgeAmountMax = 1_000_000_000;
/** What an edge has when it does not say otherwise. */
export const edgePowerDefault = 250;

export const lostAfterSecondsDefault = 120;
export const lostAfterSecondsMin = 5;
/**
 * More than this part of a cell lost in one pass looks like trouble of our own: hold and raise an
 * alarm.
 */
export const lostShareMax = 0.3;
/** The breaker does not hold below this many lost edges: a cell of two may lose one. */
export const lostEdgesHoldMin = 3;
/** How long the breaker holds before it believes the loss. */
export const lostHoldMs = 120_000;
/** Earlier starts of an agent that its edge's row remembers: a copied identity is used by few. */
export const startsRememberedMax = 3;
/** Two returns within this are no accident: two reports that are due anyway fit into it. */
export const startReturnsWithinMs = 1_200_000;
/**
 * The start of an edge that was never given anything is written down once it connected so often:
 * most connect once, and two agents with one identity throw each other off for ever.
 */
export const connectionsBeforeStartIsKept = 3;
/** An agent that starts anew so often within ten minutes is said to crash. */
export const crashingStarts = 3;
export const crashingWithinMs = 600_000;
/** An identity counts as doubled for so long after the last return; agents report each minute. */
export const doubledKeptMs = 300_000;
/** A leased edge reports at least this often, so that a missing report means something. */
export const reportEveryMsMax = 600_000;
export const missedReportsMax = 3;
/** Polls of an edge over HTTPS that may fail in a row before it counts as away. */
export const missedPollsMax = 3;
/** What an edge over HTTPS may announce; agents ask every few seconds. */
export const pollSecondsMax = 300;
/** Jobs that one report may name as standing in the edge's own queue. */
export const queuedJobsMax = 500;
/** Of an edge over HTTPS that announces none. */
export const pollSecondsDefault = 10;
/** Contacts between reports are written down no more often than this: each is a write. */
export const contactMarkMs = 10_000;
/**
 * Edges whose contacts one process of the API remembers to have written: some hundred kilobytes of
 * its memory. Beyond, it begins anew.
 */
export const notedEdgesMax = 10_000;
/** The tick comes every minute; a control plane that missed three was itself unwell. */
export const tickEveryMs = 60_000;
export const ticksMissedMax = 3;

export const leaseTargetSecondsDefault = 60;
export const leaseChunksMax = 100_000;
/**
 * A chunk that was running again and again when its edge was lost or its agent died is treated as
 * the cause: three lost edges, or twenty deaths of agents that came back. Long chunks outlive a few
 * restarts that they did not cause.
 */
export const chunkDeathsMax = 20;
export const deathsOfLostEdge = 7;
/**
 * Intervals of what an edge held before that its row remembers, per job: a kilobyte of a row that
 * is written with every report. What is forgotten is run again.
 */
export const heldBeforeIntervalsMax = 64;
/** An epoch above this is no epoch: it leaves no room to count on. */
export const epochMax = 2 ** 50;
/** This many chunks failed in a row on one edge, and none done: quarantine the edge. */
export const edgeFailuresMax = 20;
export const edgeQuarantineMs = 300_000;
/**
 * An edge that refused a job is asked again after this: policies have hours, and owners change
 * their minds.
 */
export const refusalKeptMs = 900_000;
/** Seconds after which an epoch that the edge has not applied is written again. */
export const shadowRewriteMs = 5_000;

/** Device Shadow: 8 KB of state (IoT Core quota L-A295A064). */
export const shadowBytesMax = 8 * 1024;
/** What the scheduler lets `work` grow to, leaving room for the envelope. */
export const workBytesMax = 7_500;
/**
 * A spec up to this size travels inside the document. A shadow is priced by the kilobyte, and the
 * document of a lone job has this much room in its first one.
 */
export const inlineSpecBytesMax = 400;
/** IoT Core allows 20 requests a second per shadow and 10 in flight; the agent stays far below. */
export const progressEveryMs = 1_000;
export const failureTextLengthMax = 64;
/** Failed chunks one report may carry; the agent starts nothing new until they are acknowledged. */
export const reportFailuresMax = 200;

/** What one call takes of an output that ended: a log may be without end. */
export const outputTailBytesMax = 64 * 1024;
/** Of one that is longer the beginning is kept; the rest of the room is its end. */
export const outputHeadBytesMax = 16 * 1024;

export const executionsShownMax = 100;
export const eventTtlSeconds = 30 * 24 * 3_600;
export const idempotencyTtlSeconds = 24 * 3_600;
export const factsBytesMax = 8 * 1024;
export const edgeLabelsMax = 32;

// The HTTP API.

/** A body nests no deeper than this; the deepest field we know is at seven. */
export const bodyDepthMax = 16;
/** Power of all chunks of a job together; keeps every product below 2^53. */
export const jobPowerMax = 1_000_000_000_000_000;
export const labelKeyLengthMax = 128;
export const resourcesMax = 16;
export const argvItemsMax = 1_000;
export const argvItemLengthMax = 64 * 1024;
export const envEntriesMax = 200;
export const expressionsMax = 32;
export const expressionValuesMax = 64;
export const requiredEdgesMax = 250;
export const maxEdgesMax = 100_000;
/** Thirty days, the longest a job may take or an edge may work without its link. */
export const deadlineSecondsMax = 30 * 24 * 3_600;
export const reasonLengthMax = 256;
/** Cells one job is divided over: one transaction holds SPEC, STATUS and two rows a cell. */
export const cellsPerJobMax = 40;
export const poolsMax = 100;
/** Pools that nobody has named come from the first job or edge in them, also by a slip of a key. */
export const unnamedPoolsMax = 100;
/** One that holds nothing any more is kept this long after it was made: work may be on its way. */
export const emptyPoolKeptMs = 600_000;
/** Pools that one tick looks at to remove them. */
export const poolsTidiedMax = 8;
export const queuesMax = 100;
export const tokensMax = 1_000;
/** How long a revoked token may still open something (`api.md`: within 5 s). */
export const tokenKeptMs = 5_000;
/** Callers that one instance of the authorizer remembers: some 400 bytes each. */
export const knownTokensMax = 10_000;
/** How far the clock of an issuer may be off (RFC 7519: "no more than a few minutes"). */
export const signInSkewMs = 60_000;
/** A token of an issuer that lives longer than a day could not be taken back for as long. */
export const signInTokenMsMax = 24 * 3_600_000;
/** OpenID Connect Core 2: a subject "MUST NOT exceed 255 ASCII characters". */
export const signInSubjectLengthMax = 255;
export const tokenTtlSecondsMax = 10 * 365 * 24 * 3_600;
/** Enrol tokens are short-lived: an hour by default, a week at most. */
export const enrolTtlSecondsDefault = 3_600;
export const enrolTtlSecondsMax = 7 * 24 * 3_600;
export const enrolUsesMax = 10_000;
/**
 * An edge that asks again within this time for the same key gets the certificate of its last
 * renewal.
 */
export const renewalRepeatMs = 3_600_000;
/** Rows a filtered list looks at for one answer; the cursor goes on from there. */
export const listRowsExaminedMax = 2_000;
/** Edges, pools or queues in one answer of figures: as many as a page of a list. */
export const statsGroupsMax = 500;
/** The index of jobs is spread over this many partitions a pool, 1,000 writes a second each. */
export const jobListShards = 4;
export const auditTtlSeconds = 90 * 24 * 3_600;
export const idempotencyInFlightMs = 30_000;
export const graphqlDepthMax = 8;
export const graphqlCostMax = 3_000;
export const graphqlBytesMax = 16 * 1024;
/** A graph stops asking after this; its function has 15 s and needs some to answer. */
export const graphqlBudgetMs = 10_000;

/** TransactWriteItems and BatchGetItem both take 100 (DynamoDB service quotas). */
export const transactRowsMax = 100;
export const batchGetKeysMax = 100;
export const batchGetRoundsMax = 8;
/**
 * A request to a service of AWS: tries, the pauses between them, and how long a service may take to
 * answer.
 */
export const awsAttemptsMax = 4;
export const awsRetryMs = 50;
export const awsRetryMsMax = 2_000;
export const awsNoAnswerMsMax = 10_000;
/** Connections to one service that one process keeps. */
export const awsSocketsMax = 50;
/** Beyond the client's own retries: a transaction cancelled by throttling. */
export const transactAttemptsMax = 4;
export const transactRetryMs = 25;

/**
 * Failed chunks of one slice that wait for their next attempt; a failure beyond dies at once (the
 * row is bounded).
 */
export const retriesPerSliceMax = 4_000;
/** Beyond this many, no fresh chunk of the job starts until some of them have ended. */
export const retriesPerSliceHold = 1_000;
/**
 * Rows of a plan that applying reports leaves to placement, so that a flood of reports cannot
 * starve it.
 */
export const placementRowsMin = 24;
/**
 * An edge that did not apply its document after this many repeats is given nothing more until it
 * does.
 */
export const rewritesMax = 3;
/**
 * An edge that shows nothing of a lease loses it after its job's grace, but not before this: agents
 * confirm what they were given in a second, or with the next progress, which takes 45 at most.
 */
export const takenWithinMs = 90_000;
/** Power that an edge holds at most before it has applied its first document. */
export const unprovenPowerMax = 1_000;
/** And after this many, some ten minutes, what it does not work on is given to others. */
export const unresponsiveRewritesMin = 7;
/**
 * No more than this part of a cell's connected edges is quarantined: then the jobs are to blame.
 */
export const quarantineShareMax = 0.3;
/** A gang is granted in one transaction: two rows an edge. */
export const gangNodesMax = 40;

/**
 * Leaves of an edge's facts that lie in its cell, which every pass reads: 250 edges at about a
 * kilobyte.
 */
export const factLeavesMax = 64;
export const factTextLengthMax = 128;
/** Inputs by which equal edges are distinguished: each is looked for in the word of 250 edges. */
export const inputsComparedMax = 8;
/**
 * A pass that finds itself due again at once goes on this often before it lets others have a turn.
 */
export const passRoundsMax = 4;
/**
 * How often a pass decides again without the jobs that a refused plan was about before it gives up:
 * one round for those that are wrong, some for those that come to light without them.
 */
export const suspensionRoundsMax = 3;
/** Shadow updates in flight from one pass; IoT Core allows 4,000 a second per account. */
export const shadowWritesAtOnce = 16;
export const shadowAttemptsMax = 3;
export const shadowRetryMs = 100;
/** A cell whose pass failed is looked at again after this: most troubles of the table are over. */
export const parkedCellMs = 5_000;
/** When a cell whose pass lost every race is looked at again: not at once, or it would go on so. */
export const contendedCellMs = 1_000;
/** Cells that one invocation works on at the same time. */
export const passesAtOnce = 8;
export const tableWritesAtOnce = 16;
/** SQS delays a message by at most 15 minutes; the minute tick comes long before. */
export const timerDelaySecondsMax = 900;
/** A cell without work is looked at this often all the same, in case a wake-up was lost. */
export const idleTickEveryMs = 600_000;
/**
 * Finished jobs and chunks are counted in intervals of this length, and kept longer than the
 * history reaches back.
 */
export const rateIntervalMs = 10_000;
export const rateTtlSeconds = 7_200;
/** The history of the fleet's figures: so many minutes, the one that is not over included. */
export const historyMinutes = 60;
/** Rollups of one job that lose the race against another are tried again this often. */
export const rollupAttemptsMax = 8;
/** The broker counts connections per client and forgets the count an hour after the last. */
export const connectionOrderMs = 50 * 60_000;
/**
 * When queues compete, the part of the cell that one turn may take before it is the next queue's.
 */
export const fairTurnShare = 1 / 16;
/**
 * A transaction that met another one at the same rows waits up to this long and tries this often.
 */
export const conflictAttemptsMax = 12;
export const conflictWaitMsMax = 200;
/** Rows that a purge deletes in one transaction, which takes 100 at most. */
export const purgeRowsMax = 50;
/**
 * How often a change (of a job, an edge, a pool, a queue) is decided again because the thing was
 * changed in between: each time somebody else got through, so this many would have to change it at
 * once.
 */
export const changeAttemptsMax = 20;
/**
 * Label keys and values per key that a cell's summary lists; more values than that are not listed
 * at all.
 */
export const summaryLabelsMax = 16;
export const summaryLabelValuesMax = 16;
/** Intervals in one stored set: a row of 400 KB cannot hold more. */
export const storedIntervalsMax = 200_000;
/**
 * Work that would start within this time is not stolen: reclaiming and granting costs two document
 * writes.
 */
export const stealWaitMs = 3_000;
/** Jobs whose waiting reasons one pass compares with what their status says. */
export const waitingJobsMax = 64;
export const waitingExamplesMax = 3;
/** Executions of a job that are read to say where each chunk is. */
export const executionsBoardMax = 10_000;
/** Moves between cells that one look at the fleet starts, and jobs that one move touches. */
export const movesMax = 16;
export const moveJobsMax = 8;
/** An edge on its way out is looked at after 1, 2, 4 … seconds, and at least this often. */
export const removalLookSecondsMax = 300;
/** Lexical tokens of one GraphQL document. */
export const graphqlTokensMax = 2_000;
/** Brackets of one GraphQL document that are open at once: reading it recurses for each of them. */
export const graphqlBracketsMax = 64;
/** How long a chunk that failed waits for an edge without failures before any edge may try it. */
export const retryElsewhereMs = 60_000;
/**
 * Waves of a job that are queued in one cell before a second busy cell is used.
 */
export const wavesPerCellMax = 16;
/** Jobs per part of the table whose rollup one tick looks after; the rest waits a minute more. */
export const pendingRollupsMax = 50;
/** Deeper than a shadow can be (IoT Core allows eight levels). */
export const factDepthMax = 8;
/** Of a text that is refused, a sentence shows this many characters: enough to know it by. */
export const shownLengthMax = 100;
/** Errors of one body that are named: more than anybody mends at once. */
export const validationErrorsMax = 20;
/** Pieces that a pick puts together before it takes the rest as it comes: each is longer text. */
export const pickJumpsMax = 4;
/** Needs that could not be met and that a pass remembers, so that leases yield to them. */
export const unmetNeedsMax = 32;
/** Halvings of the interval in which a division looks for its level: a double has 53 bits. */
export const divideSweepsMax = 60;
/** Places are sorted by where they would end into twice as many buckets, but no more than this. */
export const divideBucketsMax = 512;
