/**
 * Every bound of the local cloud. Where AWS documents a number it is that number; the others keep
 * one developer's machine usable and say so.
 */
import { availableParallelism } from 'node:os';

/** Names of operations that are counted; AWS has some hundred for all services run here. */
export const callNamesMax = 500;
/** Lambda: synchronous payload, request and response (AWS: 6 MB). */
export const lambdaPayloadBytesMax = 6_291_556;
/** Lambda: asynchronous payload (AWS: 1 MB). */
export const lambdaAsyncPayloadBytesMax = 1_048_576;
/**
 * Lambda: environment variables of a function together, as JSON (AWS: 4 KB; PEM texts reach it).
 */
export const environmentBytesMax = 4_096;
/** Lambda: time to load the module before the start counts as failed (AWS: 10 s). */
export const lambdaInitMsMax = 10_000;
/** A busy function gets another process when an invocation waited this long: most end sooner. */
export const lambdaGrowAfterMs = 25;
/**
 * Processes that start at the same time: more would only slow each other down (this machine's
 * bound).
 */
export const lambdaStartsMax = Math.max(2, availableParallelism());
/**
 * Lambda: retries of an asynchronous invocation (AWS: 2, after one and two minutes; shorter here).
 */
export const lambdaAsyncRetriesMax = 2;
export const lambdaAsyncRetryDelayMs = [1_000, 2_000] as const;
/**
 * Processes of one function at once; more requests wait for one to become free (this machine's
 * bound).
 */
export const lambdaInstancesPerFunctionMax = 8;
/**
 * The same for a function whose reserved concurrency or whose queues' maximum concurrency asks for
 * more (this machine's bound; AWS goes up to 1,000). What is above the first figure starts only
 * when an invocation waited long: handlers that wait for others need processes, busy ones need
 * processors.
 */
export const lambdaInstancesPerFunctionMost = 24;
export const lambdaGrowFurtherAfterMs = 250;
/** Processes of all functions at once (this machine's bound). */
export const lambdaInstancesMax = 32;
/**
 * Invocations that one process of a function has at once whose answers stream. On AWS each has an
 * environment of its own; here hundreds of streams that nearly always wait would be as many
 * processes (this machine's bound).
 */
export const streamsPerInstanceMax = 32;
/**
 * Requests to one function's own address at once, for as long as its answer streams: as many as all
 * processes of the function take (this machine's bound; AWS: the account's concurrency).
 */
export const functionUrlRequestsMax = lambdaInstancesPerFunctionMax * streamsPerInstanceMax;
/** Status and headers before a streamed answer (this machine's bound). */
export const streamHeadBytesMax = 65_536;
/** A process without work ends after this long (AWS: minutes, undocumented). */
export const lambdaIdleMsMax = 600_000;
/**
 * Requests that wait for a process of one function; above this they are throttled (this machine's
 * bound).
 */
export const lambdaWaitingMax = 2_000;
/** Lambda: base64 text about the client (AWS: "up to 3,583 bytes"). */
export const lambdaClientContextBytesMax = 3_583;
/** Lambda: the end of the log that an invocation can answer with (AWS: 4 KB). */
export const logTailBytesMax = 4_096;
/** Lambda: how much of the log file is read for it, with the lines of other processes. */
export const logTailReadBytesMax = 1_048_576;
/** One function's log file is started anew above this size; one older file is kept. */
export const logFileBytesMax = 16_777_216;

/** CloudWatch Logs: events of one answer (AWS: 10,000). */
export const logEventsMax = 10_000;

/** HTTP API: request payload (AWS: 10 MB). */
export const httpApiPayloadBytesMax = 10_485_760;
/** HTTP API: integration timeout (AWS: 50 ms to 30 s). */
export const httpApiTimeoutMsMin = 50;
export const httpApiTimeoutMsMax = 30_000;
/** HTTP API: time for an authorizer to answer, and how long its answer may be kept (AWS). */
export const httpApiAuthorizerTimeoutMs = 10_000;
export const httpApiAuthorizerSecondsMax = 3_600;
/**
 * HTTP API: account throttle that a stage without its own settings gets (AWS: 10,000 rps, burst
 * 5,000).
 */
export const httpApiRatePerSecond = 10_000;
export const httpApiBurst = 5_000;
/** HTTP API: authorizer results kept at once; the oldest leave first (this machine's bound). */
export const httpApiAuthorizerCacheMax = 10_000;

/** Gateway: request body (fauxqs takes 11 MiB, DynamoDB 16 MB). */
export const gatewayBodyBytesMax = 17_825_792;
/** S3: an object that is put in one piece (AWS: 5 GB). */
export const objectBytesMax = 5_368_709_120;
/** S3: bodies above this are files, and never whole in memory (this machine's bound). */
export const objectInMemoryBytesMax = 1_048_576;
/** S3: what is read of such a file at once (this machine's bound). */
export const objectReadBytes = 262_144;
/** S3: parts of an upload have a number up to this, and all but the last so many bytes (AWS). */
export const partNumberMax = 10_000;
export const partBytesMin = 5_242_880;
/** S3: parts or uploads of one list (AWS). */
export const listedPartsMax = 1_000;
/** S3: how long a presigned address is good for (AWS: seven days). */
export const presignedSecondsMax = 604_800;
/** AWS IoT: how far the time of a signature may be from now, whatever `X-Amz-Expires` says. */
export const iotSignatureMsMax = 300_000;
/** Gateway: how long a connection may be silent before its first request (Node: 60 s). */
export const firstByteMsMax = 60_000;
/** Gateway: time for a stand-in to answer; a long poll of SQS takes 20 s. */
export const gatewayTimeoutMs = 60_000;

/** Streams: shards of one table; each is read by itself (this machine's bound). */
export const streamShardsMax = 16;
/** Streams: records of one read (AWS: 1,000). */
export const streamReadRecordsMax = 1_000;
/**
 * Streams: pause between reads when nothing announced a write. Writes through the gateway announce
 * themselves.
 */
export const streamIdleMs = 500;
/** Streams: how soon to look again after an announced write that is not in the stream yet. */
export const streamEagerMs = 3;
/** Streams: how long to look eagerly after an announced write. */
export const streamEagerForMs = 60;
/** Streams: records read ahead of their handlers, all lanes of a shard together. */
export const streamBufferedRecordsMax = 10_000;
/** Event sources: pause before a failed batch is tried again, doubling up to the last figure. */
export const retryDelayMsMin = 100;
export const retryDelayMsMax = 10_000;
/** Tumbling windows: state of a shard (AWS: 1 MB). */
export const windowStateBytesMax = 1_048_576;
/** Tumbling windows: how long after its end a window waits for records that are on their way. */
export const windowGraceMs = 1_000;
/** Event sources: batch payload (AWS: 6 MB). */
export const batchPayloadBytesMax = 6_000_000;

/** SQS: messages of one receive (AWS: 10). */
export const queueReceiveMax = 10;
/** SQS: delay of a message, attributes of a message (AWS). */
export const messageDelaySecondsMax = 900;
export const messageAttributesMax = 10;
/** SQS: receipt handles that are remembered after their time (this machine's bound). */
export const lateHandlesMax = 10_000;
/** SQS: between two purges, and from deleting to creating a queue of the same name (AWS: 60 s). */
export const queuePauseMs = 60_000;
/** SQS: long poll (AWS: 20 s). */
export const queueWaitSeconds = 20;
/** SQS event source: concurrent batches at first, and more each minute while there are messages. */
export const queueConcurrencyStart = 5;
export const queueConcurrencyGainPerMinute = 300;
/** SQS event source: how often to look whether more batches may be in work. */
export const queueConcurrencyLookMs = 200;
/** SQS event source: what `MaximumConcurrency` may say (AWS). */
export const queueMaximumConcurrencyMin = 2;
export const queueMaximumConcurrencyMax = 1_000;
/** Event sources: filters of one mapping, and the length of each (AWS: 5, 4,096). */
export const filtersMax = 5;
export const filterBytesMax = 4_096;

/**
 * CloudFront functions: time of one call (AWS: under 1 ms of computing). It is time on the wall, so
 * it has to do on a machine that is busy with something else.
 */
export const viewerFunctionMs = 1_000;

/** Processes: time to end after a polite signal, then kill. */
export const stopGraceMs = 1_500;
/** Database: time to start answering; a JVM beside other work takes more than twenty seconds. */
export const databaseStartMsMax = 60_000;
/**
 * Database: how often it is started again when it ends by itself, before the local cloud gives up.
 */
export const databaseRestartsMax = 20;
/** STS: seconds of a session of a role, without a wish and at least (AWS). */
export const sessionSecondsUsual = 3_600;
export const sessionSecondsMin = 900;
/**
 * Names: lengths of generated physical names (AWS: function 64, role 64, queue 80, bucket 63, table
 * 255).
 */
export const functionNameMax = 64;
export const roleNameMax = 64;
export const queueNameMax = 80;
export const bucketNameMax = 63;
export const tableNameMax = 255;
