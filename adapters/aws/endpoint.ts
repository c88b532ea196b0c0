import type { ClientConfig } from './client-config.ts';

/**
 * Where a service answers and under which name requests to it are signed. As with the SDK, the
 * environment may name another address for one service or for all of them.
 */
export type Endpoint = { readonly url: URL; readonly region: string; readonly service: string };

/** The names that a service goes by. */
export type ServiceNames = {
  /** In a signature. */
  readonly service: string;
  /** In its host name, before the region, when it is another. */
  readonly host?: string;
  /** In the environment, after `AWS_ENDPOINT_URL_`, when it is another. */
  readonly variable?: string;
};

export function endpointOf(names: ServiceNames, config: ClientConfig): Endpoint {
  const { env } = process;
  const region = config.region ?? env.AWS_REGION;
  if (region === undefined) throw new Error('the environment names no region');
  const { service, host = service, variable = service.toUpperCase() } = names;
  const given = config.endpoint ?? env[`AWS_ENDPOINT_URL_${variable}`] ?? env.AWS_ENDPOINT_URL;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return { url: new URL(given ?? `https://${host}.${region}.${suffix}`), region, service };
}
