/**
 * The stack's outputs as this machine's programs need them: an output that is a secret's ARN
 * becomes the secret's value, and the public address of an HTTP API becomes its local one.
 */
import { urlSuffix } from '../account.ts';
import type { World } from '../world.ts';
import type { Json } from './assembly.ts';

export function resolvedOutputs(
  outputs: Readonly<Record<string, Json>>,
  world: World,
): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, resolved(value, world)]),
  );
}

function resolved(value: Json, world: World): Json {
  if (typeof value !== 'string') return value;
  if (value.includes(':secretsmanager:')) return world.secrets.find(value)?.value ?? value;
  return localAddress(value, world);
}

/** `https://<api>.execute-api.<region>.amazonaws.com` as the API's address on this machine. */
export function localAddress(text: string, world: World): string {
  let result = text;
  for (const api of world.apis.values()) {
    const domain = `${api.id}.execute-api.${world.account.region}.${urlSuffix}`;
    result = result.replaceAll(`https://${domain}`, api.url);
  }
  // What is `https` in front of a distribution is plain HTTP on the loopback address.
  return result.replaceAll('https://127.0.0.1:', 'http://127.0.0.1:');
}
