import type { Everywhere } from './everywhere.ts';
import type { Readiness } from './readiness.ts';
import type { CellTurn } from './rollout-turn.ts';
import type { ServicePort } from './service-port.ts';

/**
 * A service: its chunks are instances that are kept running, so an end of one is no end of the job.
 * The policy says which ends are answered by a new start.
 */
export type RestartPolicy = 'always' | 'on-failure' | 'never';

export type Restart = {
  readonly policy: RestartPolicy;
  /** The wait before the first new start; it doubles with each end up to the longest. */
  readonly backoffSeconds: number;
  readonly backoffSecondsMax: number;
  /** An instance that ran for so long begins with the first wait again. */
  readonly resetAfterSeconds: number;
};

/** How instances are brought to another generation. */
export type Update = {
  /** Instances that are away at once for it. */
  readonly maxUnavailable: number;
  /** The next one follows when the one before has been ready for so long. */
  readonly minReadySeconds: number;
  /** What follows when one of them ends, or is not ready in time. */
  readonly onFailure: 'pause' | 'rollback';
  /** Without any progress for so long it has failed. */
  readonly failAfterSeconds: number;
};

/** Others are to run while instances move. */
export type StandIns = {
  /** When they were asked for, or something last moved. */
  readonly atMs: number;
  /** Since when all were ready, those that stand in and the others; `null` while some are not. */
  readonly readyAtMs: number | null;
};

/** What a job has that is a service, and no other. */
export type ServiceSpec = InstanceSpec & {
  readonly update: Update;
  /** Of one that runs on every edge that matches. */
  readonly everywhere: Everywhere;
};

/** What agents must know of it, too. */
export type InstanceSpec = {
  readonly restart: Restart;
  readonly ready: Readiness;
  /** Absent: none. */
  readonly ports?: readonly ServicePort[];
  /** Between asking an instance to stop and killing it. */
  readonly stopGraceSeconds: number;
};

/** All of it, or nothing. */
export function instanceSpecOf(spec: Partial<InstanceSpec>): Partial<InstanceSpec> {
  const { restart, ready, ports, stopGraceSeconds } = spec;
  if (restart === undefined || ready === undefined || stopGraceSeconds === undefined) return {};
  return { restart, ready, ...(ports !== undefined && { ports }), stopGraceSeconds };
}

export function serviceSpecOf(spec: Partial<ServiceSpec>): Partial<ServiceSpec> {
  const { update, everywhere } = spec;
  return {
    ...instanceSpecOf(spec),
    ...(update !== undefined && { update }),
    ...(everywhere !== undefined && { everywhere }),
  };
}

export const rolloutStates = ['done', 'moving', 'paused', 'rolled-back'] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** How a service stands: absolute counts of its instances. */
export type ServiceCounts = {
  readonly wanted: number;
  readonly ready: number;
  /** How often instances were started again, all together. */
  readonly restarts: number;
  /** Its instances are as many as there are edges for them. */
  readonly everywhere?: true;
  /** Absent while the first generation is all there ever was. */
  readonly rollout?: RolloutCounts;
  /** In the status of one whose cells take turns: who was given it last. */
  readonly turn?: CellTurn;
};

export function newServiceCounts(spec: Partial<ServiceSpec>, wanted: number): ServiceCounts {
  const counts = { wanted, ready: 0, restarts: 0 };
  return spec.everywhere === undefined ? counts : { ...counts, everywhere: true };
}

export type RolloutCounts = {
  readonly generation: number;
  readonly state: RolloutState;
  /** Instances that were brought to this generation, whether they are ready or not. */
  readonly updated: number;
  readonly reason: string | null;
} & TurnCounts;

/** Of one cell whose job is in several: what decides about turns (`turns.ts`). */
type TurnCounts = {
  /** The wish that it follows, or waits for its turn to follow. */
  readonly wish?: number;
  /** It waits for its turn to come to this generation. */
  readonly awaits?: number;
  /** Some of its instances are away for it, or are to be brought still. */
  readonly open?: true;
  /** The generation that failed here, or in another cell before this one came to it. */
  readonly failed?: number;
};

export const serviceStates = ['degraded', 'stopped'] as const;

/** In percent of what is wanted. */
export function percentReady({ wanted, ready }: ServiceCounts): number {
  return wanted === 0 ? 100 : Math.floor((100 * Math.min(ready, wanted)) / wanted);
}
