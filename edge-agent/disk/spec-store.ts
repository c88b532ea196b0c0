import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readNumbers } from '../../core/federation/chunk-offsets.ts';
import { executorNames } from '../../core/model/job.ts';
import { isName, parseJobId } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { isCount, isRecord } from '../../core/protocol/json.ts';
import { podContainersMax } from '../../core/runs/limits.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import { specsOnDiskMax } from '../limits.ts';
import { parseOutputs } from '../results/parse-outputs.ts';
import { readJson, writeDurably } from './data-directory.ts';
import { isSignature, isWrittenSweep } from './signed-spec.ts';

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

/**
 * Reads what the control plane sent, or what the disk kept: `null` when an agent could not run by
 * it.
 */
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
  if (executor === 'pod' && !isPod(body)) return null;
  const inputs = value.inputs === undefined ? [] : parseInputs(value.inputs);
  const outputs = value.outputs === undefined ? undefined : parseOutputs(value.outputs);
  if (inputs === null || outputs === null) return null;
  if (value.chunkOffsets !== undefined && !isChunkOffsets(value.chunkOffsets)) return null;
  if (value.params !== undefined && !isWrittenSweep(value.params)) return null;
  if (value.signature !== undefined && !isSignature(value.signature)) return null;
  const { outputMb: _outputMb, ...plain } = value;
  const spec = {
    ...plain,
    createdBy: typeof value.createdBy === 'string' ? value.createdBy : '',
    lastChunkPower:
      typeof value.lastChunkPower === 'number' ? value.lastChunkPower : value.chunkPower,
    resources: isRecord(value.resources) ? value.resources : {},
    keepOutput:
      value.keepOutput === 'all' || value.keepOutput === 'none' ? value.keepOutput : 'failed',
    ...(isCount(value.outputMb) ? { outputMb: value.outputMb } : {}),
    ...(value.stderr === undefined ? {} : { stderr: 'apart' }),
    ...(value.keepDirectory === 'failed' ? { keepDirectory: 'failed' } : {}),
    ...(inputs.length === 0 ? {} : { inputs }),
    ...(outputs === undefined ? {} : { outputs }),
    offlineSeconds: typeof value.offlineSeconds === 'number' ? value.offlineSeconds : null,
    run: { [executor]: body },
  };
  return spec as unknown as AgentSpec;
}

/** A spec as it travels with the work: without the id and hash that are beside it. */
export function parseInlineSpec(job: string, hash: string, text: string): AgentSpec | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? parseAgentSpec({ ...value, id: job, hash }) : null;
  } catch {
    return null;
  }
}

function isChunkOffsets(value: unknown): boolean {
  if (!isRecord(value) || typeof value.numbers !== 'string') return false;
  const isTotal = value.total === undefined || isCount(value.total);
  const isJob = value.job === undefined || parseJobId(String(value.job)) !== null;
  const isPath = value.path === undefined || isTextList(value.path);
  return isTotal && isJob && isPath && typeof readNumbers(value.numbers) !== 'string';
}

/** Their names become those of files and containers. */
function isPod({ containers }: Record<string, unknown>): boolean {
  if (!Array.isArray(containers) || containers.length === 0) return false;
  if (containers.length > podContainersMax) return false;
  const names = new Set(containers.map((one: unknown) => (isRecord(one) ? one.name : null)));
  const isContainer = (one: unknown): boolean =>
    isRecord(one) && isName(String(one.name)) && typeof one.image === 'string';
  const isSound = (one: Record<string, unknown>): boolean =>
    isTextList(one.argv ?? []) &&
    isRecord(one.env ?? {}) &&
    isTextList(Object.values((one.env ?? {}) as object));
  return (
    names.size === containers.length && containers.every((it) => isContainer(it) && isSound(it))
  );
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
