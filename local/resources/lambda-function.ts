/** AWS::Lambda::Function: a zip function of a Node runtime, run from its asset's folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arnOf, physicalName } from '../account.ts';
import { StartFailure } from '../failure.ts';
import { functionNameMax } from '../limits.ts';
import { isFolder } from '../template/assembly.ts';
import { type Reader, readerOf } from '../template/property.ts';
import type { ResourceType, World } from '../world.ts';

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
    world.functions.set(name, {
      name,
      arn,
      roleArn: reader.text('Role'),
      codeDir: codeFolder(reader, name, world),
      handler: reader.text('Handler'),
      runtime,
      timeoutMs: (reader.optionalNumber('Timeout') ?? 3) * 1000,
      memoryMb: reader.optionalNumber('MemorySize') ?? 128,
      environment: Object.fromEntries(
        Object.entries(environment?.raw ?? {}).map(([key, value]) => [key, String(value)]),
      ),
      concurrencyReserved: reader.optionalNumber('ReservedConcurrentExecutions'),
      logGroup: logging?.optionalText('LogGroup') ?? `/aws/lambda/${name}`,
      logFormat: logging?.optionalText('LogFormat') === 'JSON' ? 'JSON' : 'Text',
      deadLetterArn: deadLetterQueue(reader, world),
    });
    return { ref: name, attributes: { Arn: arn } };
  },
};

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
