/** AWS::Lambda::Function: a zip function of a Node runtime, run from its asset's folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arnOf, physicalName } from '../../account.ts';
import { isFolder } from '../../assembly/assembly.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { environmentBytesMax, functionNameMax } from '../../limits.ts';
import type { ResourceType, World } from '../../world.ts';

export const lambdaFunction: ResourceType = {
  used: [
    'FunctionName',
    'Code',
    'Handler',
    'Runtime',
    'Role',
    'Timeout',
    'MemorySize',
    'Environment',
    'ReservedConcurrentExecutions',
    'LoggingConfig',
    'DeadLetterConfig',
    'PackageType',
  ],
  ignored: {
    Architectures: "functions run on this machine's processor",
    Description: 'a text for people',
    Tags: 'tags do nothing',
    EphemeralStorage: '/tmp is this machine’s',
    TracingConfig: 'there is no X-Ray',
    RuntimeManagementConfig: 'the runtime is the installed Node',
    RecursiveLoop: 'loops are not detected',
    SnapStart: 'there are no snapshots',
  },
  create: ({ logicalId, path, properties, world }) => {
    const reader = readerOf(properties, path);
    const name =
      reader.optionalText('FunctionName') ??
      physicalName(world.account, logicalId, functionNameMax);
    const arn = arnOf(world.account, 'lambda', `function:${name}`);
    const runtime = reader.text('Runtime');
    if (!runtime.startsWith('nodejs')) {
      throw new StartFailure(
        `${path}.Runtime: the local cloud runs Node functions, not ${runtime}.`,
      );
    }
    const logging = reader.optionalObject('LoggingConfig');
    logging?.only(['LogGroup', 'LogFormat'], {
      ApplicationLogLevel: 'all lines are kept',
      SystemLogLevel: 'all lines are kept',
    });
    const environment = reader.optionalObject('Environment')?.optionalObject('Variables');
    if (environment !== undefined) checkEnvironment(environment);
    world.functions.set(name, {
      name,
      arn,
      roleArn: reader.text('Role'),
      codeDir: codeFolder(reader, name, world),
      handler: reader.text('Handler'),
      runtime,
      timeoutMs: (reader.optionalWhole('Timeout', 1, 900) ?? 3) * 1000,
      memoryMb: reader.optionalWhole('MemorySize', 128, 10_240) ?? 128,
      environment: Object.fromEntries(
        Object.entries(environment?.raw ?? {}).map(([key, value]) => [key, String(value)]),
      ),
      concurrencyReserved: reader.optionalWhole('ReservedConcurrentExecutions', 0, 1_000),
      logGroup: logging?.optionalText('LogGroup') ?? `/aws/lambda/${name}`,
      logFormat: logging?.optionalText('LogFormat') === 'JSON' ? 'JSON' : 'Text',
      deadLetterArn: deadLetterQueue(reader, world),
    });
    return { ref: name, attributes: { Arn: arn } };
  },
};

/**
 * "The total size of all environment variables doesn't exceed 4 KB", and some names are Lambda's.
 */
function checkEnvironment(variables: Reader): void {
  const { path, raw } = variables;
  const names = Object.keys(raw);
  const reserved = names.find((name) => reservedNames.has(name));
  if (reserved !== undefined) {
    throw new StartFailure(`${path}.${reserved} is set by Lambda and cannot be set by a template.`);
  }
  const odd = names.find((name) => !/^[A-Za-z]\w+$/.test(name));
  if (odd !== undefined) {
    throw new StartFailure(`${path}.${odd} is no name of an environment variable.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(raw));
  if (bytes > environmentBytesMax) {
    const sentence = `has ${bytes} bytes; at most ${environmentBytesMax} are possible`;
    throw new StartFailure(`${path} ${sentence}.`);
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
const reservedNames = new Set([
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_DEFAULT_REGION',
  'AWS_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_LAMBDA_RUNTIME_API',
  'LAMBDA_TASK_ROOT',
  'LAMBDA_RUNTIME_DIR',
]);

/** AWS refuses a function whose role may not send to its dead-letter queue. */
function deadLetterQueue(reader: Reader, world: World): string | undefined {
  const targetArn = reader.optionalObject('DeadLetterConfig')?.text('TargetArn');
  if (targetArn === undefined) return undefined;
  const path = `${reader.path}.DeadLetterConfig`;
  if (targetArn.split(':')[2] !== 'sqs') {
    throw new StartFailure(`${path}: the local cloud sends to queues only.`);
  }
  const request = { action: 'sqs:SendMessage', resource: targetArn };
  const sentence = world.roles.roleRefusal(reader.text('Role'), 'lambda.amazonaws.com', request);
  if (sentence === undefined) return targetArn;
  throw new StartFailure(
    `${path}: the execution role does not have permissions to call SendMessage. ${sentence}`,
  );
}

function codeFolder(reader: Reader, name: string, world: World): string {
  const code = reader
    .object('Code')
    .only(['S3Bucket', 'S3Key', 'ZipFile'], { S3ObjectVersion: 'assets have one version' });
  const inline = code.optionalText('ZipFile');
  if (inline !== undefined) {
    const folder = join(world.stateDir, 'inline-code', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), inline);
    return folder;
  }
  const path = world.assetPath(code.text('S3Key'));
  if (path === undefined || !isFolder(path)) {
    throw new StartFailure(
      `${code.path}.S3Key: there is no folder of this asset; ` +
        'synthesize again with "npx cdk synth -q".',
    );
  }
  return path;
}
