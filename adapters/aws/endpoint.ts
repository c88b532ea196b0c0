/**
 * Where a service answers and under which name requests to it are signed. As with the SDK, the
 * environment may name another address for one service or for all of them.
 */
export type Endpoint = { readonly url: URL; readonly region: string; readonly service: string };

const services = {
  dynamodb: { host: 'dynamodb', variable: 'DYNAMODB' },
  sqs: { host: 'sqs', variable: 'SQS' },
  secretsmanager: { host: 'secretsmanager', variable: 'SECRETS_MANAGER' },
  iotdata: { host: 'data-ats.iot', variable: 'IOT_DATA_PLANE' },
} as const;

export type ServiceName = keyof typeof services;

export function endpointOf(service: ServiceName): Endpoint {
  const region = process.env.AWS_REGION;
  if (region === undefined) throw new Error('the environment names no region');
  const { host, variable } = services[service];
  const given = process.env[`AWS_ENDPOINT_URL_${variable}`] ?? process.env.AWS_ENDPOINT_URL;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return { url: new URL(given ?? `https://${host}.${region}.${suffix}`), region, service };
}
