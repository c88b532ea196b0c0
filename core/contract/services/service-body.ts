import * as z from 'zod';
import { containersOf, portsOfAll } from '../../runs/pod.ts';
import { type Until, untils } from '../../services/everywhere.ts';
import {
  failAfterSecondsDefault,
  failAfterSecondsMax,
  instancesMax,
  minReadySecondsDefault,
  minReadySecondsMax,
  resetSecondsMax,
  restartBackoffSecondsDefault,
  restartBackoffSecondsMaxDefault,
  restartResetSecondsDefault,
  restartSecondsMax,
  stopGraceSecondsDefault,
  stopGraceSecondsMax,
  unavailableDefault,
} from '../../services/limits.ts';
import { rolloutStates, type ServiceSpec } from '../../services/service.ts';
import type { ServicePort } from '../../services/service-port.ts';
import { whole } from '../text-schema.ts';
import {
  checkReadiness,
  instancePortSchema,
  portsSchema,
  readinessOf,
  readySchema,
} from './readiness-body.ts';

/** What a job says that is a service, and what none may say. */
export const restartSchema = z
  .strictObject({
    policy: z.enum(['always', 'on-failure', 'never']).default('always'),
    backoffSeconds: whole(0, restartSecondsMax).default(restartBackoffSecondsDefault),
    backoffSecondsMax: whole(1, restartSecondsMax).default(restartBackoffSecondsMaxDefault),
    resetAfterSeconds: whole(1, resetSecondsMax).default(restartResetSecondsDefault),
  })
  .meta({ id: 'Restart', description: 'Which ends of an instance are answered by a new start.' });

export const updateSchema = z
  .strictObject({
    maxUnavailable: whole(1, instancesMax).default(unavailableDefault),
    minReadySeconds: whole(0, minReadySecondsMax).default(minReadySecondsDefault),
    onFailure: z.enum(['pause', 'rollback']).default('rollback'),
    failAfterSeconds: whole(1, failAfterSecondsMax).default(failAfterSecondsDefault),
  })
  .meta({ id: 'ServiceUpdate', description: 'How instances come to another generation.' });

/** It is the only one of its name in its pool, or it is refused. */
export const uniqueNameSchema = z
  .boolean()
  .optional()
  .meta({ description: 'Of a service: refused while another of its name lives in the pool.' });

export const serviceFields = {
  restart: restartSchema.optional(),
  update: updateSchema.optional(),
  ready: readySchema.optional(),
  ports: portsSchema.optional(),
  stopGraceSeconds: whole(0, stopGraceSecondsMax).optional(),
};

/** Of a job that runs everywhere. */
export const everywhereFields = {
  until: z
    .enum(untils)
    .optional()
    .meta({ description: 'Over when all edges of now are done, or never.' }),
  onCordoned: z.boolean().optional().meta({ description: 'Cordoned edges get theirs, too.' }),
};

export const everywhereSchema = z
  .strictObject({ until: z.enum(untils), onCordoned: z.boolean() })
  .meta({ id: 'Everywhere', description: 'Of a job that runs on every edge that matches.' });

type ServiceBody = {
  readonly kind: string;
  readonly restart?: ServiceSpec['restart'] | undefined;
  readonly update?: ServiceSpec['update'] | undefined;
  readonly ready?: z.output<typeof readySchema> | undefined;
  readonly ports?: readonly ServicePort[] | undefined;
  readonly run?: object | undefined;
  readonly stopGraceSeconds?: number | undefined;
  readonly until?: Until | undefined;
  readonly onCordoned?: boolean | undefined;
};

/** With every default; nothing of a job that is none. */
export function fillService(body: ServiceBody): Partial<ServiceSpec> {
  if (body.kind === 'batch') return {};
  const { until = 'forever', onCordoned = false } = body;
  const ports = portsOfAll(body.ports ?? [], body.run).map(({ port }) => port);
  return {
    restart: body.restart ?? restartSchema.parse({}),
    update: body.update ?? updateSchema.parse({}),
    ready: readinessOf(body.ready),
    ...(ports.length > 0 && { ports }),
    stopGraceSeconds: body.stopGraceSeconds ?? stopGraceSecondsDefault,
    ...(body.kind === 'everywhere' && { everywhere: { until, onCordoned } }),
  };
}

type AnyBody = ServiceBody & {
  readonly power: number | null;
  readonly chunks: number | null;
  readonly name: string | null;
  readonly uniqueName?: boolean | undefined;
  readonly deadlineSeconds: number | null;
  readonly retries: { readonly maxFailedChunks: number | null };
  readonly placement: { readonly nodes: number | null; readonly maxEdges: number | null };
  readonly params?: object | undefined;
  readonly outputs: object | null;
};

type Issue = (path: readonly string[], message: string) => void;

/** What a service cannot have, and what only a service has. */
export function checkService(body: AnyBody, issue: Issue): void {
  if (body.kind !== 'everywhere') checkBound(body, issue);
  if (body.uniqueName === true && (body.kind === 'batch' || body.name === null)) {
    issue(['uniqueName'], 'Only a service that has a name can be the only one of it.');
  }
  if (body.kind === 'batch') checkOther(body, issue);
  else {
    if (body.kind === 'everywhere') checkEverywhere(body, issue);
    if (body.power !== null) {
      issue(['power'], 'A service gives "chunks" and "chunkPower": what each instance takes.');
    }
    if (body.chunks !== null && body.chunks > instancesMax) {
      issue(['chunks'], `A service has at most ${instancesMax} instances.`);
    }
    if (body.deadlineSeconds !== null) {
      issue(['deadlineSeconds'], 'A service has no deadline: it runs until it is cancelled.');
    }
    if (body.retries.maxFailedChunks !== null) {
      issue(
        ['retries', 'maxFailedChunks'],
        'A service is not given up; "restart" says how it goes on.',
      );
    }
    if (body.placement.nodes !== null) {
      issue(['placement', 'nodes'], 'Instances of a service start one by one, and not as a gang.');
    }
    if (body.outputs !== null) {
      issue(['outputs'], 'What a service leaves is not collected: it has no end.');
    }
    if (body.params !== undefined) {
      issue(['params'], 'Instances of a service are alike, and have no parameters.');
    }
    checkRun(body, issue);
    checkReadiness(body, issue);
  }
}

/** Only what runs everywhere has these. */
function checkBound(body: AnyBody, issue: Issue): void {
  for (const field of ['until', 'onCordoned'] as const) {
    if (body[field] === undefined) continue;
    issue([field], 'Only a job that runs everywhere ("kind": "everywhere") has this.');
  }
}

function checkEverywhere(body: AnyBody, issue: Issue): void {
  if (body.chunks !== null) {
    issue(['chunks'], 'A job that runs everywhere has one instance on each edge that matches.');
  }
  if (body.placement.maxEdges !== null) {
    issue(['placement', 'maxEdges'], 'A job that runs everywhere is on each edge that matches.');
  }
}

function checkRun({ run, restart }: AnyBody, issue: Issue): void {
  // What is not started again may end by itself.
  const mayEnd = restart?.policy === 'never';
  if (run === undefined) issue(['run'], 'A service says what it runs.');
  else if ('slurm' in run || 'flux' in run) {
    issue(['run'], 'A service is a process, a container or a pod; batch schedulers run to an end.');
  } else if (!mayEnd && 'simulate' in run && Object.keys(run.simulate as object).length > 0) {
    issue(['run', 'simulate'], 'A simulated service has no end: give {}.');
  }
}

function checkOther(body: AnyBody, issue: Issue): void {
  for (const field of ['restart', 'update', 'ready', 'ports', 'stopGraceSeconds'] as const) {
    if (body[field] !== undefined) issue([field], 'Only a service ("kind": "service") has this.');
  }
  for (const [at, { ports }] of containersOf(body.run).entries()) {
    if (ports === undefined) continue;
    const path = ['run', 'pod', 'containers', String(at), 'ports'];
    issue(path, 'Only a service ("kind": "service") has this.');
  }
  if (body.chunks === 0) issue(['chunks'], 'Only a service has no chunks; give 1 or more.');
  const simulate = (body.run as { simulate?: object } | undefined)?.simulate;
  if (simulate !== undefined && Object.keys(simulate).length === 0) {
    issue(['run', 'simulate'], 'A simulated run has exactly one of "seconds" and "wattSeconds".');
  }
}

/** How instances stand, in the status of a service. */
export const serviceStatusSchema = z
  .strictObject({
    wanted: z.int().min(0),
    ready: z.int().min(0),
    updated: z.int().min(0).meta({ description: 'Instances that run the generation wanted.' }),
    unavailable: z.int().min(0),
    restarts: z.int().min(0),
    generation: z.int().min(1).meta({ description: 'What instances are brought to.' }),
    rollout: z.enum(rolloutStates),
    rolloutReason: z.string().nullable().meta({ description: 'Why it was paused or rolled back.' }),
  })
  .meta({ id: 'ServiceStatus', description: 'Instances of a service, and their restarts.' });

/** What a chunk has besides when it is an instance. */
export const instanceFields = {
  ready: z.boolean().optional().meta({ description: 'Of an instance of a service.' }),
  restarts: z.int().min(0).optional(),
  generation: z.int().min(1).optional().meta({ description: 'What it is to run now.' }),
  ports: z
    .array(instancePortSchema)
    .optional()
    .meta({ description: 'Of an instance that runs: where it is reached.' }),
  lastExit: z
    .strictObject({
      exitCode: z.int().nullable(),
      reason: z.string().nullable(),
      at: z.iso.datetime(),
    })
    .nullable()
    .optional()
    .meta({ description: 'How it ended last; null while it has not.' }),
};
