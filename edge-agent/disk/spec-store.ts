import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutorName } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { isCount, isRecord } from '../../core/protocol/json.ts';
import { specsOnDiskMax } from '../limits.ts';
import { readJson, writeDurably } from './data-directory.ts';

/**
 * Job specs on disk, by job and hash: what an edge needs to go on without an uplink, also after a
 * reboot.
 */
export type SpecStore = {
  load(key: string): AgentSpec | null;
  save(key: string, document: unknown): void;
};

const keyPattern = /^[A-Za-z0-9_-]{1,200}$/;

export function openSpecStore(directory: string): SpecStore {
  let saved = 0;
  const fileOf = (key: string): string => join(directory, `${key}.json`);
  return {
    load(key) {
      return keyPattern.test(key) ? parseAgentSpec(readJson(fileOf(key))) : null;
    },
    save(key, document) {
      if (!keyPattern.test(key)) return;
      try {
        writeDurably(fileOf(key), JSON.stringify(document));
        if (saved++ % 100 === 0) dropOldest(directory);
      } catch {
        // A full disk costs only the work after the next restart without uplink; the journal
        // reports the disk.
      }
    },
  };
}

function dropOldest(directory: string): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  if (files.length <= specsOnDiskMax) return;
  const byAge = files
    .map((file) => ({ file, atMs: statSync(file).mtimeMs }))
    .sort((a, b) => a.atMs - b.atMs);
  for (const { file } of byAge.slice(0, files.length - specsOnDiskMax)) unlinkSync(file);
}

const executorNames: readonly ExecutorName[] = [
  'simulate',
  'process',
  'container',
  'slurm',
  'flux',
];

/** Reads what the plane sent, or what the disk kept: `null` when an agent could not run by it. */
export function parseAgentSpec(value: unknown): AgentSpec | null {
  if (!isRecord(value) || typeof value.id !== 'string' || !isRecord(value.run)) return null;
  const executor = executorNames.find((name) =>
    isRecord((value.run as Record<string, unknown>)[name]),
  );
  if (executor === undefined || !isCount(value.chunks)) return null;
  if (typeof value.chunkPower !== 'number') return null;
  const run = value.run as Record<string, Record<string, unknown>>;
  const body = run[executor]!;
  if (executor !== 'simulate' && !isTextList(body.argv ?? [])) return null;
  const spec = {
    ...value,
    createdBy: typeof value.createdBy === 'string' ? value.createdBy : '',
    lastChunkPower:
      typeof value.lastChunkPower === 'number' ? value.lastChunkPower : value.chunkPower,
    resources: isRecord(value.resources) ? value.resources : {},
    keepOutput:
      value.keepOutput === 'all' || value.keepOutput === 'none' ? value.keepOutput : 'failed',
    offlineSeconds: typeof value.offlineSeconds === 'number' ? value.offlineSeconds : null,
    run: { [executor]: body },
  };
  return spec as unknown as AgentSpec;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
