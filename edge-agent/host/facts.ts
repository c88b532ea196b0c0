import { readFileSync, statfsSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import type { Facts, FactValue } from '../../core/protocol/facts.ts';
import { factsEveryMs } from '../limits.ts';
import { agentVersion } from '../program/version.ts';
import type { Clock } from './clock.ts';
import type { Host } from './host-inspection.ts';

/**
 * What an edge says about itself. Only what is really there: an executor that the host lacks is
 * not offered.
 */
export type FactsInput = {
  readonly power: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly host: Host;
  readonly dataDirectory: string;
  readonly health: string;
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
    health: input.health,
  };
  const disks = diskOf(input.dataDirectory);
  if (disks !== null) facts.disks = disks;
  if (Object.keys(host.software).length > 0) facts.software = host.software;
  return {
    capacity: { power: input.power, cores, memoryMb, gpus: host.gpus },
    labels: input.labels,
    facts,
  };
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

/**
 * Looks again now and then, for all edges of the process; answers the same object until something
 * changed.
 */
export function makeFactsBoard(clock: Clock, collect: () => Facts): () => Facts {
  let facts = collect();
  let text = JSON.stringify(facts);
  let lookedAtMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - lookedAtMs < factsEveryMs) return facts;
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
