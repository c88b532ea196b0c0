/**
 * The environment variables of a function's process: what the template gives, what Lambda itself
 * sets (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html), and the addresses
 * of the stand-ins. Nothing of the developer's shell gets in.
 */
import type { FunctionCredentials } from '../../iam/identity.ts';
import type { FunctionDefinition } from '../definition.ts';

/** Names of the services whose endpoint is set one by one; the general variable covers the rest. */
const services = [
  'DYNAMODB',
  'DYNAMODB_STREAMS',
  'SQS',
  'SNS',
  'S3',
  'IOT',
  'IOT_DATA_PLANE',
  'LAMBDA',
  'SECRETS_MANAGER',
  'STS',
];

export type EnvironmentOptions = {
  definition: FunctionDefinition;
  credentials: FunctionCredentials;
  region: string;
  gatewayUrl: string;
  runtimeApi: string;
  logStream: string;
};

export function functionEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { definition, credentials } = options;
  const endpoints = Object.fromEntries(
    services.map((service) => [`AWS_ENDPOINT_URL_${service}`, options.gatewayUrl]),
  );
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: 'en_US.UTF-8',
    TZ: 'UTC',
    LAMBDA_TASK_ROOT: definition.codeDir,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    _HANDLER: definition.handler,
    AWS_LAMBDA_RUNTIME_API: options.runtimeApi,
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(definition.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: definition.logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: options.logStream,
    AWS_LAMBDA_LOG_FORMAT: definition.logFormat,
    AWS_EXECUTION_ENV: `AWS_Lambda_${definition.runtime}`,
    AWS_REGION: options.region,
    AWS_DEFAULT_REGION: options.region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_ENDPOINT_URL: options.gatewayUrl,
    ...endpoints,
    ...definition.environment,
  };
}
