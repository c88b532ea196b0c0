/**
 * Lambda: synchronous invocations, and asynchronous ones that are kept in the state until they succeeded or
 * went to their dead-letter target, so that a killed local cloud does not lose an accepted event.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Account, arnOf } from '../account.ts';
import type { RoleBook } from '../iam/roles.ts';
import {
  lambdaAsyncRetriesMax,
  lambdaAsyncRetryDelayMs,
  lambdaIdleMsMax,
  lambdaInstancesMax,
  lambdaStartsMax,
} from '../limits.ts';
import type { Reaper } from '../process/reaper.ts';
import type { StateStore } from '../state/store.ts';
import type { FunctionDefinition, InvocationOutcome } from './definition.ts';
import { functionEnvironment } from './environment.ts';
import { type FunctionLog, openFunctionLog } from './function-log.ts';
import { startInstance } from './instance.ts';
import { type FunctionPool, functionPool, type PoolCounters } from './pool.ts';
import { startRuntimeApi } from './runtime-api.ts';

export interface LambdaService {
  /** The definition with this name or ARN (a version or alias behind the ARN is ignored). */
  find(nameOrArn: string): FunctionDefinition | undefined;
  invoke(definition: FunctionDefinition, payload: Buffer): Promise<InvocationOutcome>;
  /** Resolves when the event is accepted, not when it is handled. */
  invokeLater(definition: FunctionDefinition, payload: Buffer): Promise<void>;
  counters(): Record<string, Readonly<PoolCounters>>;
  close(): Promise<void>;
}

export interface LambdaOptions {
  definitions: readonly FunctionDefinition[];
  account: Account;
  gatewayUrl: string;
  stateDir: string;
  store: StateStore;
  reaper: Reaper;
  roles: RoleBook;
  deadLetter(targetArn: string, body: string, errorMessage: string): Promise<void>;
}

interface Later {
  readonly id: string;
  readonly functionName: string;
  readonly payload: string;
}

export async function startLambda(options: LambdaOptions): Promise<LambdaService> {
  const runtimeApi = await startRuntimeApi();
  const pools = new Map<string, FunctionPool>();
  const logs: FunctionLog[] = [];
  let closing = false;
  const makeRoom = (): boolean => {
    const sum = (of: (pool: FunctionPool) => number): number =>
      [...pools.values()].reduce((total, pool) => total + of(pool), 0);
    if (sum((pool) => pool.starting) >= lambdaStartsMax) return false;
    const total = sum((pool) => pool.size);
    if (total < lambdaInstancesMax) return true;
    return [...pools.values()].some((pool) => pool.reap(true));
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
    pools.set(
      definition.name,
      functionPool({
        definition,
        makeRoom,
        started: () => {
          for (const pool of pools.values()) pool.dispatch();
        },
        start: (events) =>
          startInstance({
            definition,
            environment,
            runtimeApi,
            log,
            compileCacheDir,
            reaper: options.reaper,
            events,
          }),
      }),
    );
  }
  const reapTimer = setInterval(() => {
    for (const pool of pools.values()) pool.reap(false);
  }, lambdaIdleMsMax / 10);
  reapTimer.unref();

  const checked = new Set<string>();
  // Without this permission the function would run on AWS and leave no log.
  const checkLogPermission = ({ name, roleArn, logGroup }: FunctionDefinition): void => {
    if (checked.has(name)) return;
    checked.add(name);
    const resource = arnOf(options.account, 'logs', `log-group:${logGroup}:log-stream:${name}`);
    for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents']) {
      options.roles.roleRefusal(roleArn, 'lambda.amazonaws.com', { action, resource });
    }
  };
  const invoke = (definition: FunctionDefinition, payload: Buffer): Promise<InvocationOutcome> => {
    const pool = pools.get(definition.name);
    if (pool === undefined) throw new Error(`no function ${definition.name}`);
    checkLogPermission(definition);
    return pool.invoke(payload);
  };
  const handleLater = async (later: Later): Promise<void> => {
    const definition = pools.get(later.functionName)?.definition;
    if (definition === undefined) return options.store.remove('async', later.id);
    const payload = Buffer.from(later.payload);
    let problem = '';
    for (let attempt = 0; attempt <= lambdaAsyncRetriesMax && !closing; attempt += 1) {
      const outcome = await invoke(definition, payload);
      if (outcome.kind === 'ok') return options.store.remove('async', later.id);
      // A throttled event is not a failed attempt: Lambda keeps it for hours.
      if (outcome.kind === 'throttled') attempt -= 1;
      else problem = outcome.payload.toString();
      await pause(lambdaAsyncRetryDelayMs[Math.max(0, attempt)] ?? 1_000);
    }
    if (closing) return;
    if (definition.deadLetterArn !== undefined) {
      await options.deadLetter(definition.deadLetterArn, later.payload, problem);
    }
    options.store.remove('async', later.id);
  };
  for (const { value } of options.store.list('async')) void handleLater(JSON.parse(value) as Later);
  return {
    find: (nameOrArn) => pools.get(functionNameOf(nameOrArn))?.definition,
    invoke,
    invokeLater: async (definition, payload) => {
      const later = {
        id: randomUUID(),
        functionName: definition.name,
        payload: payload.toString(),
      };
      options.store.put('async', later.id, JSON.stringify(later));
      void handleLater(later);
    },
    counters: () =>
      Object.fromEntries([...pools].map(([name, pool]) => [name, { ...pool.counters }])),
    close: async () => {
      closing = true;
      clearInterval(reapTimer);
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      await runtimeApi.close();
      for (const log of logs) log.close();
    },
  };
}

/** `arn:aws:lambda:r:a:function:name[:qualifier]`, `name[:qualifier]` or an API Gateway integration URI. */
export function functionNameOf(text: string): string {
  const inUri = /functions\/(arn:[^/]+)\/invocations/.exec(text)?.[1] ?? text;
  const parts = inUri.split(':');
  return (parts[0] === 'arn' ? parts[6] : parts[0]) ?? '';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
