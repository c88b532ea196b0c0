/**
 * Starts and stops the whole local cloud, in the order in which its parts need each other. This
 * file is the map; what each part does is in its own folder.
 *
 * State directory: locked → stale programs ended → database and queues → template's resources →
 * functions → IoT → servers → event sources → endpoints.json. Stopping goes the other way.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Account, accountId, arnOf } from './account.ts';
import type { CloudArguments } from './arguments.ts';
import { type Assembly, type Json, loadAssembly } from './assembly/assembly.ts';
import { deploy } from './assembly/deployment.ts';
import { resolvedOutputs } from './assembly/outputs.ts';
import { type Endpoints, removeEndpoints, writeEndpoints } from './endpoints-file.ts';
import { endStaleChildren } from './engine/child.ts';
import { systemClock as clock } from './engine/clock.ts';
import { type Log, openCloudLog } from './engine/cloud-log.ts';
import { startGateway } from './engine/gateway/services.ts';
import { type HostCheck, hostCheck } from './engine/host-check.ts';
import { host, type Ports, portFailure, portsFrom } from './engine/ports.ts';
import { type Reaper, startReaper } from './engine/reaper.ts';
import { openStore, type StateStore } from './engine/state-store.ts';
import { stopGraceMs } from './limits.ts';
import { startHttpApis } from './services/apigateway/apis.ts';
import { type Stack, stackOf } from './services/cloudformation/stack.ts';
import { startSites } from './services/cloudfront/sites.ts';
import { startAlarms } from './services/cloudwatch/alarm-evaluation.ts';
import { type Database, startDatabase } from './services/dynamodb/database.ts';
import { enableTimeToLive } from './services/dynamodb/time-to-live.ts';
import { type EventDeliveries, eventDeliveries } from './services/events/deliveries.ts';
import { type KeyRing, keyRing } from './services/iam/identity.ts';
import { roleBook } from './services/iam/roles.ts';
import { ensureAuthority } from './services/iot/control-plane/authority.ts';
import { type IotService, startIot } from './services/iot/service.ts';
import { signedByRoles } from './services/iot/web-socket/signed-by.ts';
import type { DeadLetter } from './services/lambda/async-invocations.ts';
import { startEventSources } from './services/lambda/event-sources/sources.ts';
import { writeSignal } from './services/lambda/event-sources/stream/write-signal.ts';
import { startFunctionUrls } from './services/lambda/function-url/servers.ts';
import { checkPermissions } from './services/lambda/invoke-permissions.ts';
import { type LambdaService, startLambda } from './services/lambda/service.ts';
import { openQueuesAndBuckets, type QueuesAndBuckets } from './services/queues-and-buckets.ts';
import { uploadFolders } from './services/s3/upload.ts';
import { startScheduler } from './services/scheduler/scheduler.ts';
import { secretStore } from './services/secrets/store.ts';
import type { World } from './world.ts';

export type Cloud = {
  readonly endpoints: Endpoints;
  readonly ignoredCount: number;
  /** Resolves with a sentence when a part ended that the others cannot do without. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
};

type Step = () => void | Promise<void>;

export async function startCloud(options: CloudArguments): Promise<Cloud> {
  const undo: Step[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return await start(options, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: CloudArguments, undo: Step[], stop: Step): Promise<Cloud> {
  const parts = await openParts(options, undo);
  const { stateDir, queues, database } = parts;
  const authority = await ensureAuthority(stateDir);
  const world = emptyWorld(parts, options.streamShards);
  const deployed = await deploy({
    template: parts.assembly.template,
    world,
    parameters: options.parameters,
    authorityPem: authority.caPem,
  });
  checkPermissions(world);
  undo.push(() => world.roles.writeReport());
  const stack = stackOf(parts.assembly.template, deployed, world, parts.store, clock.nowMs());
  const iot = await startServices(parts, world, stack, undo);
  const ignored = `${JSON.stringify(world.ignored, null, 2)}\n`;
  writeFileSync(join(stateDir, 'ignored.json'), ignored);
  const outputs = resolvedOutputs(deployed.outputs, world);
  uploadFolders(options.files, outputs, queues.buckets);
  const endpoints = endpointsOf(world, iot, outputs);
  writeEndpoints(stateDir, endpoints);
  undo.push(() => removeEndpoints(stateDir));
  return {
    endpoints,
    ignoredCount: world.ignored.length,
    failed: database.failed,
    stop: async () => stop(),
  };
}

type Parts = {
  readonly assembly: Assembly;
  readonly account: Account;
  readonly stateDir: string;
  readonly store: StateStore;
  readonly keys: KeyRing;
  readonly log: Log;
  readonly ports: Ports;
  readonly gatewayUrl: string;
  readonly isKnownHost: HostCheck;
  readonly reaper: Reaper;
  readonly database: Database;
  readonly queues: QueuesAndBuckets;
};

/** What stands before anything of the template does: the locked state, the database, the queues. */
async function openParts(options: CloudArguments, undo: Step[]): Promise<Parts> {
  const stateDir = resolve(options.stateDir);
  const assembly = loadAssembly(resolve(options.app), options.stack);
  const store = openStore(stateDir);
  undo.push(() => store.close());
  removeEndpoints(stateDir);
  endStaleChildren(store);
  const log = openCloudLog(join(stateDir, 'logs', 'cloud.log'));
  const account: Account = { region: options.region, stack: assembly.stack };
  const ports = portsFrom(options.portBase);
  const gatewayUrl = `http://${host}:${ports.gateway}`;
  const isKnownHost = hostCheck(options.allowedHosts);
  const reaper = startReaper();
  undo.push(() => reaper.close());
  const { engine, region } = options;
  const keys = keyRing(store);
  const own = { stateDir, store, reaper };
  const [database, queues] = await Promise.all([
    startDatabase({ ...own, engine, port: ports.database, accessKeyId: keys.database }),
    openQueuesAndBuckets(stateDir, region),
  ]);
  undo.push(() => database.close());
  undo.push(() => queues.close());
  const opened = { ...own, assembly, account, keys, log, ports, database, queues };
  return { ...opened, gatewayUrl, isKnownHost };
}

/** Runs what the template asks for. */
async function startServices(
  parts: Parts,
  world: World,
  stack: Stack,
  undo: Step[],
): Promise<IotService> {
  const { account, gatewayUrl, stateDir, store, reaper, ports, log } = parts;
  const { engine } = parts.database;
  const lambda = await startLambda({
    definitions: [...world.functions.values()],
    account,
    gatewayUrl,
    stateDir,
    store,
    reaper,
    roles: world.roles,
    deadLetter: (letter) => sendDeadLetter(parts.queues, letter),
  });
  undo.push(() => lambda.close());
  const iot = await startIotHalf(world, lambda, ports.mqtt, log);
  undo.push(() => iot.close());
  const events = startEvents(parts, world, lambda);
  undo.push(() => events.close());
  const signal = writeSignal();
  undo.push(() => signal.close());
  const port = ports.gateway;
  const gateway = await startGateway({
    ...{ world, stack, lambda, iot, events, signal, engine, port, log },
  });
  undo.push(() => gateway.close());
  const apis = await startHttpApis({ world, lambda, ports, log });
  undo.push(() => apis.close());
  const urls = await startFunctionUrls({ world, lambda, ports });
  undo.push(() => urls.close());
  const sites = await startSites(world, ports);
  undo.push(() => sites.close());
  const sources = startEventSources({ world, lambda, store, signal, engine, clock, log });
  // What does not end in time ends with its functions, which are stopped next.
  undo.push(() => Promise.race([sources.close(), pause(stopGraceMs)]));
  const scheduler = startScheduler(world.schedules, lambda, store, clock, log);
  undo.push(() => scheduler.close());
  const alarms = startAlarms({ world, lambda, apis, sources, clock, stateDir });
  undo.push(() => alarms.close());
  return iot;
}

function startEvents(parts: Parts, world: World, lambda: LambdaService): EventDeliveries {
  return eventDeliveries({
    ...{ lambda, rules: world.eventRules, store: parts.store, log: parts.log },
    ...{ roles: world.roles, queues: parts.queues },
    queueUrl: (name) => `${parts.gatewayUrl}/${accountId}/${name}`,
  });
}

function endpointsOf(world: World, iot: IotService, outputs: Record<string, Json>): Endpoints {
  const { certPath, keyPath, clientId } = iot.operator;
  const { accessKeyId, secretAccessKey } = world.roles.rootCredentials;
  return {
    api: world.apiUrl(0),
    aws: world.gatewayUrl,
    region: world.account.region,
    credentials: { accessKeyId, secretAccessKey },
    mqtt: { host, port: iot.mqttPort, ca: iot.caPath },
    operator: { cert: certPath, key: keyPath, clientId },
    token: typeof outputs.AdminToken === 'string' ? outputs.AdminToken : null,
    outputs,
    pid: process.pid,
  };
}

function emptyWorld(parts: Parts, streamShards: number): World {
  const { account, ports, database } = parts;
  return {
    account,
    gatewayUrl: parts.gatewayUrl,
    isKnownHost: parts.isKnownHost,
    apiUrl: (index) => `http://${host}:${index === 0 ? ports.api : ports.moreApis(index)}`,
    functionUrl: (index) => `http://${host}:${ports.functionUrl(index)}/`,
    siteUrl: (index) => `http://${host}:${ports.site(index)}`,
    stateDir: parts.stateDir,
    database: database.client,
    queues: parts.queues,
    roles: roleBook(parts.stateDir, parts.keys),
    secrets: secretStore(account, parts.store),
    assetPath: parts.assembly.assetPath,
    timeToLive: (tableName, attributeName) =>
      enableTimeToLive(database.client, tableName, attributeName),
    streamShards,
    tables: new Map(),
    functions: new Map(),
    permissions: [],
    logGroups: new Map(),
    streamMappings: [],
    queueMappings: [],
    apis: new Map(),
    functionUrls: [],
    distributions: [],
    viewerFunctions: new Map(),
    responseHeaders: new Map(),
    schedules: [],
    topicRules: [],
    eventBuses: new Map(),
    eventRules: [],
    iotPolicies: [],
    alarms: [],
    laterChecks: [],
    ignored: [],
  };
}

async function startIotHalf(
  world: World,
  lambda: LambdaService,
  mqttPort: number,
  log: (line: string) => void,
): Promise<IotService> {
  const { queues } = world;
  try {
    return await startIot({
      stateDir: world.stateDir,
      host,
      mqttPort,
      accountId,
      region: world.account.region,
      resources: { topicRules: world.topicRules, policies: world.iotPolicies },
      deliver: {
        sqs: async (queueUrl, body) => {
          const name = queueUrl.slice(queueUrl.lastIndexOf('/') + 1);
          await sendTo(queues, arnOf(world.account, 'sqs', name), body);
        },
        s3: async (bucket, key, body) => {
          queues.buckets.putObject(bucket, key, Buffer.from(body));
        },
        lambda: async (functionArn, payload) => {
          const definition = lambda.find(functionArn);
          if (definition === undefined) throw new Error(`no function ${functionArn}`);
          await lambda.invokeLater(definition, Buffer.from(JSON.stringify(payload)));
        },
      },
      signedBy: signedByRoles({
        roles: world.roles,
        region: world.account.region,
        nowMs: () => Date.now(),
      }),
      log: (line) => log(`iot: ${line}`),
      denied: (clientId, action, resource) => {
        world.roles.noteRefusal(`MQTT client ${clientId}`, { action, resource });
      },
    });
  } catch (error) {
    throw portFailure(error, mqttPort);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

/** A message of the local cloud itself to a queue of the template. */
async function sendTo(
  queues: QueuesAndBuckets,
  targetArn: string,
  body: string,
  MessageAttributes = {},
): Promise<void> {
  const name = targetArn.slice(targetArn.lastIndexOf(':') + 1);
  await queues.sqs('SendMessage', {
    QueueUrl: `http://${host}/${accountId}/${name}`,
    MessageBody: body,
    MessageAttributes,
  });
}

/** The attributes that Lambda gives to what it sends to a dead-letter queue. */
function sendDeadLetter(queues: QueuesAndBuckets, letter: DeadLetter): Promise<void> {
  const { targetArn, body, requestId, errorMessage } = letter;
  return sendTo(queues, targetArn, body, {
    RequestID: { DataType: 'String', StringValue: requestId },
    ErrorCode: { DataType: 'Number', StringValue: '200' },
    ErrorMessage: { DataType: 'String', StringValue: errorMessage || 'Unhandled' },
  });
}
