/**
 * Lambda: a pool of processes for each function of the template, behind synchronous and
 * asynchronous invocation.
 */
import { join } from 'node:path';
import { type Account, arnOf } from '../../account.ts';
import type { Reaper } from '../../engine/reaper.ts';
import type { StateStore } from '../../engine/state-store.ts';
import { lambdaIdleMsMax, lambdaInstancesMax, lambdaStartsMax } from '../../limits.ts';
import type { RoleBook } from '../iam/roles.ts';
import { asyncInvocations, type DeadLetter } from './async-invocations.ts';
import type { FunctionDefinition, InvocationOutcome, InvokeOptions } from './definition.ts';
import { type FunctionPool, functionPool, type PoolCounters } from './pool.ts';
import { functionEnvironment } from './runtime/environment.ts';
import { type FunctionLog, openFunctionLog } from './runtime/function-log.ts';
import { type Instance, type InstanceEvents, startInstance } from './runtime/instance.ts';
import { type RuntimeApi, startRuntimeApi } from './runtime/runtime-api.ts';

export type LambdaService = {
  /** The definition with this name or ARN (a version or alias behind the ARN is ignored). */
  find(nameOrArn: string): FunctionDefinition | undefined;
  all(): FunctionDefinition[];
  invoke(
    definition: FunctionDefinition,
    payload: Buffer,
    options?: InvokeOptions,
  ): Promise<InvocationOutcome>;
  /** Resolves when the event is accepted, not when it is handled. */
  invokeLater(definition: FunctionDefinition, payload: Buffer, requestId?: string): Promise<void>;
  counters(): Record<string, Readonly<PoolCounters>>;
  close(): Promise<void>;
};

export type LambdaOptions = {
  definitions: readonly FunctionDefinition[];
  account: Account;
  gatewayUrl: string;
  stateDir: string;
  store: StateStore;
  reaper: Reaper;
  roles: RoleBook;
  deadLetter(letter: DeadLetter): Promise<void>;
};

export async function startLambda(options: LambdaOptions): Promise<LambdaService> {
  const runtimeApi = await startRuntimeApi();
  const { pools, logs } = startPools(options, runtimeApi);
  const reapTimer = setInterval(() => {
    for (const pool of pools.values()) pool.reap(false);
  }, lambdaIdleMsMax / 10);
  reapTimer.unref();
  const checked = new Set<string>();
  const invoke = (
    definition: FunctionDefinition,
    payload: Buffer,
    how?: InvokeOptions,
  ): Promise<InvocationOutcome> => {
    const pool = pools.get(definition.name);
    if (pool === undefined) throw new Error(`no function ${definition.name}`);
    if (!checked.has(definition.name)) checkLogPermission(options, definition);
    checked.add(definition.name);
    return pool.invoke(payload, how);
  };
  const find = (nameOrArn: string): FunctionDefinition | undefined =>
    pools.get(functionNameOf(nameOrArn))?.definition;
  const later = asyncInvocations({ ...options, find, invoke });
  later.resume();
  return {
    find,
    all: () => [...pools.values()].map((pool) => pool.definition),
    invoke,
    invokeLater: async (definition, payload, requestId) =>
      later.accept(definition, payload, requestId),
    counters: () =>
      Object.fromEntries([...pools].map(([name, pool]) => [name, { ...pool.counters }])),
    close: async () => {
      later.close();
      clearInterval(reapTimer);
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      await runtimeApi.close();
      for (const log of logs) log.close();
    },
  };
}

function startPools(
  options: LambdaOptions,
  runtimeApi: RuntimeApi,
): { pools: Map<string, FunctionPool>; logs: FunctionLog[] } {
  const pools = new Map<string, FunctionPool>();
  const logs: FunctionLog[] = [];
  const started = (): void => {
    for (const pool of pools.values()) pool.dispatch();
  };
  for (const definition of options.definitions) {
    const log = openFunctionLog(join(options.stateDir, 'logs', `${definition.name}.log`));
    logs.push(log);
    const credentials = options.roles.credentialsOf(definition);
    const environment = (api: string, logStream: string): Record<string, string> =>
      functionEnvironment({
        definition,
        credentials,
        region: options.account.region,
        gatewayUrl: options.gatewayUrl,
        runtimeApi: api,
        logStream,
      });
    const compileCacheDir = join(options.stateDir, 'compile-cache');
    const { reaper } = options;
    const start = (events: InstanceEvents): Instance =>
      startInstance({ definition, environment, runtimeApi, log, compileCacheDir, reaper, events });
    const makeRoom = (): boolean => hasRoom([...pools.values()]);
    pools.set(definition.name, functionPool({ definition, makeRoom, started, start }));
  }
  return { pools, logs };
}

/** True when one more process may start; an idle one may have to end for it. */
function hasRoom(pools: readonly FunctionPool[]): boolean {
  const sum = (of: (pool: FunctionPool) => number): number =>
    pools.reduce((total, pool) => total + of(pool), 0);
  if (sum((pool) => pool.starting) >= lambdaStartsMax) return false;
  return sum((pool) => pool.size) < lambdaInstancesMax || pools.some((pool) => pool.reap(true));
}

/** Without this permission the function would run on AWS and leave no log. */
function checkLogPermission(options: LambdaOptions, definition: FunctionDefinition): void {
  const { name, roleArn, logGroup } = definition;
  const resource = arnOf(options.account, 'logs', `log-group:${logGroup}:log-stream:${name}`);
  for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents']) {
    options.roles.roleRefusal(roleArn, 'lambda.amazonaws.com', { action, resource });
  }
}

/**
 * `arn:aws:lambda:r:a:function:name[:qualifier]`, `a:function:name[:qualifier]`, `name[:qualifier]`
 * or an API Gateway integration URI.
 */
export function functionNameOf(text: string): string {
  const inUri = /functions\/(arn:[^/]+)\/invocations/.exec(text)?.[1] ?? text;
  const parts = inUri.split(':');
  const at = parts.indexOf('function');
  return (at > 0 ? parts[at + 1] : parts[0]) ?? '';
}
