import { readFileSync, statfsSync } from 'node:fs';
import { arch, cpus, networkInterfaces, release, totalmem, type } from 'node:os';
import type { ResourceVector } from '../../core/model/job.ts';
import type { Facts, FactValue } from '../../core/protocol/facts.ts';
import { chunkTasksMax, factsEveryMs } from '../limits.ts';
import { agentVersion } from '../program/version.ts';
import type { Clock } from './clock.ts';
import type { Host } from './host-inspection.ts';
import type { IsolationFact } from './isolation.ts';

/**
 * What an edge says about itself. Only what is really there: an executor that the host lacks is
 * not offered.
 */
export type FactsInput = {
  readonly power: number;
  /** Of an edge that was registered with other amounts than this host has. */
  readonly capacity?: ResourceVector | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly host: Host;
  readonly isolation: IsolationFact;
  readonly dataDirectory: string;
  /** The disk that jobs may ask for. */
  readonly chunksDirectory: string;
  /** What files of jobs may take; that it is said shows that the agent knows what inputs are. */
  readonly cacheBytes: number;
  /** Which inputs of jobs are here already. */
  readonly cached?: string | null;
  /** How much of it is free; `null` where many edges share a host, or others run the work. */
  readonly load?: FactValue | null;
  readonly health: string;
  /** Where others reach this host; `null`: as it finds by itself. */
  readonly address?: string | null;
};

export function collectFacts(input: FactsInput): Facts {
  const { host } = input;
  const cores = cpus().length || 1;
  const memoryMb = Math.floor(totalmem() / 1024 / 1024);
  const facts: Record<string, FactValue> = {
    arch: arch(),
    os: operatingSystem(),
    kernel: release(),
    cores,
    memoryMb,
    gpus: host.gpus,
    executors: Object.fromEntries(host.executors),
    agent: agentVersion,
    isolation: input.isolation,
    health: input.health,
    cacheBytes: input.cacheBytes,
    unpacks: true,
    parameters: true,
    chunkOffsets: true,
    sendsFiles: true,
    // It replaces names in patterns of results: older agents would look for the braces.
    fillsPaths: true,
    fillsInputs: true,
    // It restarts instances as it is asked to: older agents would call their first end the last.
    services: true,
    address: input.address ?? ownAddress(),
  };
  if (input.cached != null) facts.cached = input.cached;
  if (input.load != null) facts.load = input.load;
  const disks = diskOf(input.dataDirectory);
  if (disks !== null) facts.disks = disks;
  if (Object.keys(host.software).length > 0) facts.software = host.software;
  const { chunksDirectory } = input;
  const shared = { memoryMb, diskMb: diskMbOf(chunksDirectory), processes: chunkTasksMax };
  return {
    capacity: input.capacity ?? { power: input.power, cores, gpus: host.gpus, ...shared },
    labels: input.labels,
    facts,
  };
}

/** The first one that others may have a way to; a host that is alone is reached by itself. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outside = all.filter(({ internal }) => !internal);
  const first = outside.find(({ family }) => family === 'IPv4') ?? outside[0];
  return first?.address ?? '127.0.0.1';
}

function operatingSystem(): FactValue {
  const release = releaseFile();
  return {
    name: release.get('ID') ?? type().toLowerCase(),
    version: release.get('VERSION_ID') ?? '',
  };
}

function releaseFile(): Map<string, string> {
  const out = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync('/etc/os-release', 'utf8');
  } catch {
    return out;
  }
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) out.set(line.slice(0, at), line.slice(at + 1).replace(/^"|"$/g, ''));
  }
  return out;
}

/** Rounded to whole gigabytes, so that a fact does not change with every file. */
function diskOf(path: string): FactValue | null {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    const gigabytes = (count: number): number => Math.round((count * bsize) / 1e9);
    return { data: { totalGb: gigabytes(blocks), freeGb: gigabytes(bavail) } };
  } catch {
    return null;
  }
}

/** All of it, so that it does not change with every file; room is looked for before a start. */
function diskMbOf(path: string): number {
  try {
    const { blocks, bsize } = statfsSync(path);
    return Math.floor((blocks * bsize) / 1024 / 1024);
  } catch {
    return 0;
  }
}

/**
 * Looks again now and then, for all edges of the process; answers the same object until something
 * changed.
 */
export function makeFactsBoard(
  clock: Clock,
  collect: () => Facts,
  everyMs = factsEveryMs,
): () => Facts {
  let facts = collect();
  let text = JSON.stringify(facts);
  let lookedAtMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - lookedAtMs < everyMs) return facts;
    lookedAtMs = clock.monotonicMs();
    const fresh = collect();
    const freshText = JSON.stringify(fresh);
    if (freshText !== text) {
      facts = fresh;
      text = freshText;
    }
    return facts;
  };
}
