/**
 * AWS::Lambda::EventSourceMapping: a function that reads a table's stream or a queue. As on AWS the
 * function's role must be able to read the source; otherwise the mapping is refused.
 */
import { stableUuid } from '../../../account.ts';
import { type Reader, readerOf } from '../../../assembly/property.ts';
import { StartFailure } from '../../../failure.ts';
import { lambdaInstancesPerFunctionMax, lambdaInstancesPerFunctionMost } from '../../../limits.ts';
import type { ResourceType, World } from '../../../world.ts';
import type { FunctionDefinition } from '../definition.ts';
import { functionNameOf } from '../service.ts';
import { compileFilter, type FilterPattern } from './filter/pattern.ts';
import { checkQueueBounds, checkStreamBounds } from './mapping-bounds.ts';
import { compileQueueFilter } from './queue/filter.ts';

export const lambdaEventSourceMapping: ResourceType = {
  used: [
    'EventSourceArn',
    'FunctionName',
    'Enabled',
    'BatchSize',
    'MaximumBatchingWindowInSeconds',
    'StartingPosition',
    'ParallelizationFactor',
    'MaximumRetryAttempts',
    'MaximumRecordAgeInSeconds',
    'BisectBatchOnFunctionError',
    'FunctionResponseTypes',
    'FilterCriteria',
    'DestinationConfig',
    'ScalingConfig',
    'TumblingWindowInSeconds',
  ],
  ignored: {
    Tags: 'tags do nothing',
    MetricsConfig: 'there are no metrics of event sources',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const source = reader.text('EventSourceArn');
    const name = functionNameOf(reader.text('FunctionName'));
    const definition = world.functions.get(name);
    if (definition === undefined) throw new StartFailure(`${path}: there is no function ${name}.`);
    if (source.startsWith('arn:aws:sqs:')) addQueue(logicalId, reader, source, definition, world);
    else if (source.includes('/stream/')) addStream(logicalId, reader, source, definition, world);
    else throw new StartFailure(`${path}.EventSourceArn: the local cloud cannot read ${source}.`);
    const uuid = uuidOf(world, logicalId);
    return { ref: uuid, attributes: { Id: uuid } };
  },
};

/** AWS names a mapping by a UUID; here the same template gives the same one. */
function uuidOf(world: World, logicalId: string): string {
  return stableUuid(`${world.account.stack}/${logicalId}`);
}

function addStream(
  id: string,
  reader: Reader,
  streamArn: string,
  definition: FunctionDefinition,
  world: World,
): void {
  checkStreamBounds(reader);
  const table = [...world.tables.values()].find((item) => item.streamArn === streamArn);
  if (table?.engineStreamArn === undefined) {
    throw new StartFailure(`${reader.path}.EventSourceArn: there is no such stream.`);
  }
  requireAll(reader.path, definition, world, streamArn, [
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:DescribeStream',
  ]);
  const target = reader.optionalObject('DestinationConfig')?.optionalObject('OnFailure');
  const failureTargetArn = target?.text('Destination');
  if (failureTargetArn !== undefined)
    requireTarget(reader.path, definition, world, failureTargetArn);
  const windowSeconds = reader.optionalNumber('TumblingWindowInSeconds') ?? 0;
  world.streamMappings.push({
    id,
    uuid: uuidOf(world, id),
    enabled: reader.optionalFlag('Enabled') ?? true,
    functionName: definition.name,
    streamArn,
    engineStreamArn: table.engineStreamArn,
    tableName: table.name,
    partitionKey: table.partitionKey,
    shards: world.streamShards,
    startingPosition: reader.text('StartingPosition') === 'LATEST' ? 'LATEST' : 'TRIM_HORIZON',
    batchSize: reader.optionalNumber('BatchSize') ?? 100,
    batchWindowMs: (reader.optionalNumber('MaximumBatchingWindowInSeconds') ?? 0) * 1000,
    // The state of a tumbling window is one for each shard.
    lanes: windowSeconds > 0 ? 1 : (reader.optionalNumber('ParallelizationFactor') ?? 1),
    tumblingWindowMs: windowSeconds * 1000,
    retriesMax: reader.optionalNumber('MaximumRetryAttempts') ?? -1,
    recordAgeSecondsMax: reader.optionalNumber('MaximumRecordAgeInSeconds') ?? -1,
    bisects: reader.optionalFlag('BisectBatchOnFunctionError') ?? false,
    reportsItemFailures: reader.texts('FunctionResponseTypes').includes('ReportBatchItemFailures'),
    filters: filtersOf(reader, compileFilter),
    failureTargetArn,
    roleArn: definition.roleArn,
    described: reader.raw,
  });
}

function addQueue(
  id: string,
  reader: Reader,
  queueArn: string,
  definition: FunctionDefinition,
  world: World,
): void {
  requireAll(reader.path, definition, world, queueArn, [
    'sqs:ReceiveMessage',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
  ]);
  const queue = world.queues.queues.getQueueByArn(queueArn);
  if (queue === undefined) {
    throw new StartFailure(`${reader.path}.EventSourceArn: there is no such queue.`);
  }
  const visibilitySeconds = Number(queue.attributes.VisibilityTimeout);
  const shape = { isFifo: queue.isFifo(), visibilitySeconds };
  checkQueueBounds(reader, shape, definition.timeoutMs / 1000);
  const concurrency = reader.optionalObject('ScalingConfig')?.optionalNumber('MaximumConcurrency');
  if (concurrency !== undefined) {
    const concurrencyOfQueues = (definition.concurrencyOfQueues ?? 0) + concurrency;
    world.functions.set(definition.name, { ...definition, concurrencyOfQueues });
  }
  world.queueMappings.push({
    id,
    uuid: uuidOf(world, id),
    enabled: reader.optionalFlag('Enabled') ?? true,
    functionName: definition.name,
    queueArn,
    queueName: queueArn.slice(queueArn.lastIndexOf(':') + 1),
    batchSize: reader.optionalNumber('BatchSize') ?? 10,
    batchWindowMs: (reader.optionalNumber('MaximumBatchingWindowInSeconds') ?? 0) * 1000,
    // More batches than processes of the function could only wait.
    // No more than there are processes: a batch that waits for one would become visible again.
    concurrencyMax: Math.min(
      concurrency ?? lambdaInstancesPerFunctionMax,
      lambdaInstancesPerFunctionMost,
    ),
    reportsItemFailures: reader.texts('FunctionResponseTypes').includes('ReportBatchItemFailures'),
    filters: filtersOf(reader, compileQueueFilter),
    roleArn: definition.roleArn,
    described: reader.raw,
  });
}

function filtersOf(
  reader: Reader,
  compile: (text: string, path: string) => FilterPattern,
): FilterPattern[] {
  const filters = reader.optionalObject('FilterCriteria')?.objects('Filters') ?? [];
  return filters.map((filter) =>
    compile(filter.only(['Pattern']).text('Pattern'), `${filter.path}.Pattern`),
  );
}

function requireTarget(
  path: string,
  definition: FunctionDefinition,
  world: World,
  targetArn: string,
): void {
  const service = targetArn.split(':')[2];
  if (service === 'sqs') requireAll(path, definition, world, targetArn, ['sqs:SendMessage']);
  else if (service === 'sns') requireAll(path, definition, world, targetArn, ['sns:Publish']);
  else if (service === 's3') {
    requireAll(path, definition, world, `${targetArn}/*`, ['s3:PutObject']);
    requireAll(path, definition, world, targetArn, ['s3:ListBucket']);
  } else {
    throw new StartFailure(
      `${path}.DestinationConfig: the local cloud cannot send to ${targetArn}.`,
    );
  }
}

/** AWS refuses a mapping whose role lacks these. */
function requireAll(
  path: string,
  definition: FunctionDefinition,
  world: World,
  resource: string,
  actions: readonly string[],
): void {
  for (const action of actions) {
    const request = { action, resource };
    const sentence = world.roles.roleRefusal(definition.roleArn, 'lambda.amazonaws.com', request);
    if (sentence !== undefined) {
      throw new StartFailure(
        `${path}: the role of ${definition.name} cannot read the event source. ${sentence}`,
      );
    }
  }
}
