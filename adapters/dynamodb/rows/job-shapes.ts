import { attemptsMax, chunksMax, jobPowerMax } from '../../../core/model/limits.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import { untils } from '../../../core/services/everywhere.ts';
import { instancesMax } from '../../../core/services/limits.ts';
import { rolloutStates } from '../../../core/services/service.ts';
import {
  isAmount,
  isFlag,
  isPositive,
  isText,
  isWhole,
  listOf,
  optional,
  orNull,
  recordOf,
  type Shape,
  tableOf,
  upTo,
} from './shapes.ts';

/** What rows hold of jobs, several kinds of rows the same. */
const isPower: Shape = (value) => isPositive(value) && (value as number) <= jobPowerMax;

export const isChunking = recordOf({
  chunks: (value) => upTo(chunksMax)(value) && isPositive(value),
  chunkPower: isPower,
  lastChunkPower: isPower,
});

/** Of a service, which may have no instance. */
export const isServiceChunking = recordOf({
  chunks: upTo(instancesMax),
  chunkPower: isPower,
  lastChunkPower: isPower,
  gaps: optional(listOf(upTo(instancesMax))),
});

const isSeconds: Shape = (value) => isAmount(value) && (value as number) >= 0;

const paced = { everySeconds: isSeconds, timeoutSeconds: isSeconds, failures: isWhole };
const isReadiness: Shape = (value) =>
  [
    recordOf({ afterSeconds: isSeconds }),
    recordOf({ http: recordOf({ port: isText, path: isText, ...paced }) }),
    recordOf({ exec: recordOf({ argv: listOf(isText), ...paced }) }),
  ].some((shape) => shape(value));
const isPort = recordOf({
  name: isText,
  target: orNull(isWhole),
  port: orNull(isWhole),
  protocol: isText,
});

const serviceFields = {
  restart: optional(
    recordOf({
      policy: isText,
      backoffSeconds: isSeconds,
      backoffSecondsMax: isSeconds,
      resetAfterSeconds: isSeconds,
    }),
  ),
  update: optional(
    recordOf({
      maxUnavailable: isWhole,
      minReadySeconds: isSeconds,
      onFailure: isText,
      failAfterSeconds: isSeconds,
    }),
  ),
  everywhere: optional(
    recordOf({ until: (value) => untils.some((it) => it === value), onCordoned: isFlag }),
  ),
  ready: optional(isReadiness),
  ports: optional(listOf(isPort)),
  stopGraceSeconds: optional(isSeconds),
};

const isRolloutCounts = recordOf({
  generation: isWhole,
  state: (value) => rolloutStates.some((state) => state === value),
  updated: isWhole,
  reason: orNull(isText),
  wish: optional(isWhole),
  awaits: optional(isWhole),
  open: optional(isFlag),
  failed: optional(isWhole),
});

export const isRolloutTurn = recordOf({
  wish: isWhole,
  back: optional(recordOf({ to: isWhole, reason: isText })),
});

export const isServiceCounts = recordOf({
  wanted: isWhole,
  ready: isWhole,
  restarts: isWhole,
  everywhere: optional(isFlag),
  rollout: optional(isRolloutCounts),
  turn: optional(recordOf({ cell: isText, turn: isRolloutTurn })),
});

/** An executor that only a later version knows is one that no edge of this one has. */
const isRun: Shape = (value) => isRecord(value) && Object.values(value).length > 0;

export const isResources = tableOf((value) => isAmount(value) && (value as number) >= 0);

export const isRequires = recordOf({
  labels: tableOf(isText),
  expressions: listOf(recordOf({ key: isText, op: isText })),
  edges: listOf(isText),
});

const runFields = {
  resources: isResources,
  run: (value: unknown) => isRun(value) && Object.values(value as object).every(isRecord),
  requires: isRequires,
  ...serviceFields,
};

/** What of a spec makes another generation. */
export const isGenerationSpec = recordOf(runFields);

const specFields = {
  queue: isText,
  ...runFields,
  placement: recordOf({ policy: isText, maxEdges: orNull(isWhole), nodes: orNull(isWhole) }),
  lostAfterSeconds: isAmount,
  deadlineSeconds: orNull(isAmount),
  name: optional(orNull(isText)),
  keepOutput: optional(isText),
  offlineSeconds: optional(orNull(isAmount)),
};

/** What a cell knows of a spec, without what users may change later. */
export const isIntentSpec = recordOf(specFields);

export const isRetries = recordOf({
  attempts: (value) => upTo(attemptsMax)(value) && isPositive(value),
  backoffSeconds: (value) => isAmount(value) && (value as number) >= 0,
  maxFailedChunks: optional(orNull(isWhole)),
});

export const isSpec = recordOf({
  ...specFields,
  pool: isText,
  priority: isAmount,
  retries: isRetries,
  dependsOn: listOf(isText),
  labels: tableOf(isText),
});

export const isCounts = recordOf(
  Object.fromEntries(
    ['total', 'waiting', 'pending', 'scheduled', 'running', 'done', 'dead', 'cancelled'].map(
      (name) => [name, isWhole],
    ),
  ),
);

export const isWaiting = listOf(recordOf({ reason: isText, chunks: isWhole }));
