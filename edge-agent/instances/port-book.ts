import { closeSync, openSync, readSync } from 'node:fs';
import { isRecord } from '../../core/protocol/json.ts';
import { portsMax } from '../../core/services/limits.ts';
import {
  type GivenPorts,
  portVariable,
  type ServicePort,
} from '../../core/services/service-port.ts';
import { type ChunkName, type ExecutorNotes, keyOf } from '../executors/executor.ts';
import { givenPortMax, givenPortMin, portTableBytesMax } from './limits.ts';

/**
 * Ports of this host that were given to instances: asked for by number, or free ones. They are
 * written down, because an instance may outlive its agent. Who else uses a port the host says; what
 * takes one between the look and the start is seen by the instance, which then ends.
 */
export type PortBook = {
  /** For a start of an instance; a text says why not. */
  give(name: ChunkName, wanted: readonly ServicePort[]): GivenPorts | string;
  of(name: ChunkName): GivenPorts;
  giveBack(name: ChunkName): void;
  /** What was given to others than these is free. */
  keepOnly(survivors: readonly ChunkName[]): void;
};

const none: GivenPorts = new Map();

export function openPortBook(deps: {
  readonly notes: ExecutorNotes;
  /** Whether somebody on this host has it. */
  readonly isTaken: (port: number, protocol: ServicePort['protocol']) => boolean;
  /** Where the search for a free one begins, between 0 and 1: agents of one host begin apart. */
  readonly begin: number;
}): PortBook {
  const { notes } = deps;
  const given = new Map<string, GivenPorts>();
  for (const [key, note] of notes.all()) given.set(key, portsOfNote(note));
  const many = givenPortMax - givenPortMin + 1;
  let next = Math.floor(deps.begin * many);

  const isHeld = (port: number): boolean =>
    [...given.values()].some((ports) => [...ports.values()].includes(port));

  const isFree = (port: number, { protocol }: ServicePort, own: GivenPorts): boolean =>
    !isHeld(port) && ![...own.values()].includes(port) && !deps.isTaken(port, protocol);

  const findFree = (wanted: ServicePort, own: GivenPorts): number | null => {
    for (let tries = 0; tries < many; tries++) {
      const port = givenPortMin + next;
      next = (next + 1) % many;
      if (isFree(port, wanted, own)) return port;
    }
    return null;
  };

  return {
    give(name, wanted) {
      const ports = new Map<string, number>();
      for (const one of wanted) {
        if (one.port !== null && !isFree(one.port, one, ports)) {
          return `port ${one.port} is taken`;
        }
        const port = one.port ?? findFree(one, ports);
        if (port === null) return 'no port is free';
        ports.set(one.name, port);
      }
      if (ports.size === 0) return none;
      given.set(keyOf(name), ports);
      notes.put(keyOf(name), JSON.stringify(Object.fromEntries(ports)));
      return ports;
    },
    of: (name) => given.get(keyOf(name)) ?? none,
    giveBack(name) {
      if (given.delete(keyOf(name))) notes.remove(keyOf(name));
    },
    keepOnly(survivors) {
      const kept = new Set(survivors.map(keyOf));
      for (const key of [...given.keys()]) {
        if (kept.has(key)) continue;
        given.delete(key);
        notes.remove(key);
      }
    },
  };
}

function portsOfNote(note: string): GivenPorts {
  const ports = new Map<string, number>();
  try {
    const value: unknown = JSON.parse(note);
    for (const [name, port] of isRecord(value) ? Object.entries(value).slice(0, portsMax) : []) {
      if (typeof port === 'number') ports.set(name, port);
    }
  } catch {
    // It is given anew with the next start.
  }
  return ports;
}

/** What an instance sees of its ports. */
export function portEnvironment(ports: GivenPorts): Record<string, string> {
  return Object.fromEntries([...ports].map(([name, port]) => [portVariable(name), String(port)]));
}

const tables = { tcp: ['tcp', 'tcp6'], udp: ['udp', 'udp6'] } as const;
/** A connection that is over and only waits keeps nobody from listening. */
const timeWait = '06';

/** As Linux lists them; where nothing is listed, nothing is known to be taken. */
export function isTakenOnHost(port: number, protocol: ServicePort['protocol']): boolean {
  return tables[protocol].some((name) => isListed(readStart(`/proc/net/${name}`), port));
}

export function isListed(table: string, port: number): boolean {
  const own = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').some((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    return local.endsWith(own) && state !== timeWait;
  });
}

function readStart(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(portTableBytesMax);
      let length = 0;
      for (let got = 1; got > 0 && length < bytes.length; length += got) {
        got = readSync(file, bytes, length, bytes.length - length, null);
      }
      return bytes.toString('latin1', 0, length);
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
