/**
 * What Lambda tells about the functions of the template and about what they read, in the words of
 * its API (https://docs.aws.amazon.com/lambda/latest/api/API_FunctionConfiguration.html).
 */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stableUuid } from '../../account.ts';
import type { JsonObject } from '../../assembly/assembly.ts';
import type { Found, Route } from '../../engine/gateway/routes.ts';
import type { FunctionDefinition } from './definition.ts';
import type { QueueMapping } from './event-sources/queue/mapping.ts';
import type { StreamMapping } from './event-sources/stream/mapping.ts';
import { functionNameOf, type LambdaService } from './service.ts';

const functions = '/2015-03-31/functions';
const mappings = '/2015-03-31/event-source-mappings';

export const readingRoutes: readonly Route[] = [
  { operation: 'ListFunctions', method: 'GET', path: functions },
  { operation: 'GetFunction', method: 'GET', path: `${functions}/{name}` },
  {
    operation: 'GetFunctionConfiguration',
    method: 'GET',
    path: `${functions}/{name}/configuration`,
  },
  { operation: 'ListEventSourceMappings', method: 'GET', path: mappings },
  { operation: 'GetEventSourceMapping', method: 'GET', path: `${mappings}/{uuid}` },
];

/** What the answers are made from. */
export type LambdaWorld = {
  readonly lambda: LambdaService;
  readonly mappings: readonly (StreamMapping | QueueMapping)[];
  readonly startedAtMs: number;
};

/** A text says what was not found. */
type Reading = (found: Found, definition: FunctionDefinition | undefined) => JsonObject | string;

const pageUsual = 50;

export function readingOperations(options: LambdaWorld): Reading {
  const { lambda, startedAtMs } = options;
  const configuration = (definition: FunctionDefinition): JsonObject =>
    configurationOf(definition, startedAtMs);
  const mappingOf = (mapping: Mapping): JsonObject => ({
    ...mappingFields(mapping, lambda.find(mapping.functionName)?.arn ?? '', startedAtMs),
  });
  return (found, definition) => {
    const { operation, path, query } = found;
    switch (operation) {
      case 'ListFunctions':
        return pageOf('Functions', lambda.all().map(configuration), query);
      case 'GetFunction':
        return definition === undefined
          ? ''
          : {
              Configuration: configuration(definition),
              Code: { RepositoryType: 'S3', Location: pathToFileURL(definition.codeDir).href },
              Tags: {},
              ...concurrencyOf(definition),
            };
      case 'GetFunctionConfiguration':
        return definition === undefined ? '' : configuration(definition);
      case 'ListEventSourceMappings': {
        const wanted = options.mappings.filter((mapping) => isWanted(mapping, query));
        return pageOf('EventSourceMappings', wanted.map(mappingOf), query);
      }
      default: {
        const mapping = options.mappings.find(({ uuid }) => uuid === path['uuid']);
        if (mapping !== undefined) return mappingOf(mapping);
        return `The resource you requested does not exist. UUID: ${path['uuid']}`;
      }
    }
  };
}

/** Pages begin where their marker says, which is a number of items. */
function pageOf(name: string, items: JsonObject[], query: URLSearchParams): JsonObject {
  const size = Math.max(1, Number(query.get('MaxItems') ?? pageUsual) || pageUsual);
  const from = Number(query.get('Marker') ?? 0) || 0;
  const end = from + size;
  return {
    [name]: items.slice(from, end),
    ...(end < items.length ? { NextMarker: String(end) } : {}),
  };
}

type Mapping = LambdaWorld['mappings'][number];

function isWanted(mapping: Mapping, query: URLSearchParams): boolean {
  const [name, source] = [query.get('FunctionName'), query.get('EventSourceArn')];
  const isOfFunction = name === null || functionNameOf(name) === mapping.functionName;
  return isOfFunction && (source === null || source === mapping.described.EventSourceArn);
}

function mappingFields(mapping: Mapping, functionArn: string, startedAtMs: number): JsonObject {
  const { FunctionName: _, Enabled: __, ...described } = mapping.described;
  return {
    BatchSize: mapping.batchSize,
    MaximumBatchingWindowInSeconds: mapping.batchWindowMs / 1_000,
    ...described,
    UUID: mapping.uuid,
    FunctionArn: functionArn,
    State: mapping.enabled ? 'Enabled' : 'Disabled',
    StateTransitionReason: 'USER_INITIATED',
    LastModified: startedAtMs / 1_000,
  };
}

function concurrencyOf({ concurrencyReserved }: FunctionDefinition): JsonObject {
  if (concurrencyReserved === undefined) return {};
  return { Concurrency: { ReservedConcurrentExecutions: concurrencyReserved } };
}

function configurationOf(definition: FunctionDefinition, startedAtMs: number): JsonObject {
  const { bytes, digest } = codeOf(definition.codeDir);
  const { deadLetterArn } = definition;
  return {
    FunctionName: definition.name,
    FunctionArn: definition.arn,
    Runtime: definition.runtime,
    Role: definition.roleArn,
    Handler: definition.handler,
    CodeSize: bytes,
    CodeSha256: digest,
    Description: '',
    Timeout: definition.timeoutMs / 1_000,
    MemorySize: definition.memoryMb,
    LastModified: new Date(startedAtMs).toISOString().replace('Z', '+0000'),
    Version: '$LATEST',
    RevisionId: stableUuid(`${definition.arn}/${digest}`),
    Environment: { Variables: { ...definition.environment } },
    TracingConfig: { Mode: 'PassThrough' },
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
    // Functions run on this machine's processor, whatever the template names.
    Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
    EphemeralStorage: { Size: 512 },
    LoggingConfig: { LogFormat: definition.logFormat, LogGroup: definition.logGroup },
    ...(deadLetterArn === undefined ? {} : { DeadLetterConfig: { TargetArn: deadLetterArn } }),
  };
}

/** Code is a folder here: its size is that of its files, its digest that of their names. */
function codeOf(folder: string): { bytes: number; digest: string } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    bytes += size;
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return { bytes, digest: hash.digest('base64') };
}
