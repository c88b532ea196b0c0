import { chunksMax } from '../model/limits.ts';
import { portNamePattern, portNumberMax, portsMax } from '../services/limits.ts';
import type { GivenPorts } from '../services/service-port.ts';
import { instancePortsLengthMax } from './limits.ts';

/** Which ports an edge has given to the instances of a service that it runs. */
export type InstancePorts = ReadonlyMap<number, GivenPorts>;

/** One scalar, `0:http=45001,0:admin=45002`: a shadow replaces strings whole. */
export function encodeInstancePorts(ports: InstancePorts): string {
  return [...ports]
    .flatMap(([chunk, given]) => [...given].map(([name, port]) => `${chunk}:${name}=${port}`))
    .join(',');
}

/** What makes no sense in it is left out. */
export function parseInstancePorts(value: unknown): InstancePorts {
  const ports = new Map<number, Map<string, number>>();
  if (typeof value !== 'string' || value.length > instancePortsLengthMax) return ports;
  for (const part of value.split(',')) {
    const match = /^(\d{1,8}):([a-z0-9-]+)=(\d{1,5})$/.exec(part);
    if (match === null) continue;
    const [chunk, name, port] = [Number(match[1]), match[2] ?? '', Number(match[3])];
    const isPort = port > 0 && port <= portNumberMax && portNamePattern.test(name);
    if (!isPort || chunk >= chunksMax) continue;
    const given = ports.get(chunk) ?? new Map<string, number>();
    if (given.size < portsMax) ports.set(chunk, given.set(name, port));
  }
  return ports;
}
