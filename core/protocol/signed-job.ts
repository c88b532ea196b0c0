import { shownChunks } from '../federation/chunk-offsets.ts';
import type { JobInput } from '../model/job.ts';
import type { Sweep } from '../sweeps/sweep.ts';
import type { AgentSpec } from './agent-spec.ts';
import { canonicalJson } from './canonical-json.ts';

/**
 * The text that the signature of a job is over: made by who signs from the job as it is written,
 * and by each edge from the spec that it was given. `docs/signed-jobs.md` describes it for others;
 * a change of any byte is another version in its first line.
 *
 * Every field of a spec is judged here: what decides which program runs with what is covered, and
 * what is not covered says why.
 */
const judged = {
  run: 'covered',
  resources: 'covered',
  inputs: 'covered',
  outputs: 'covered',
  params: 'covered',
  chunks: 'covered',
  restart: 'covered',
  ready: 'covered',
  ports: 'covered',
  stopGraceSeconds: 'covered',
  id: 'is given when the job is submitted',
  hash: 'is given when the job is submitted',
  createdBy: 'is given when the job is submitted',
  signature: 'holds the signature itself; until when it counts is covered',
  sweep: 'says only that there are parameters, which are covered',
  chunkOffsets: 'says which of the chunks these are; how many there are in all is covered',
  chunkPower: 'is how much of the edge is reserved, which its owner bounds',
  lastChunkPower: 'is how much of the edge is reserved, which its owner bounds',
  name: 'is for people',
  keepOutput: 'is about what is kept',
  outputMb: 'is about what is kept',
  stderr: 'is about what is kept',
  keepDirectory: 'is about what is kept',
  offlineSeconds: 'only ends work, which can be ended anyway',
} as const satisfies Record<keyof AgentSpec, string>;

export type CoveredField = {
  [Name in keyof typeof judged]: (typeof judged)[Name] extends 'covered' ? Name : never;
}[keyof typeof judged];

export const coveredFields = Object.entries(judged)
  .filter(([, words]) => words === 'covered')
  .map(([name]) => name as CoveredField);

const signedJobVersion = 'edgewise-job-v1';

/** `until`: when the signature ends, as it is written in it. */
export function signedText(spec: Pick<AgentSpec, CoveredField>, until: string | null): string {
  const covered: Record<CoveredField | 'until', unknown> = {
    run: spec.run,
    resources: spec.resources,
    inputs: (spec.inputs ?? []).map(inputOf),
    outputs: spec.outputs ?? null,
    params: spec.params === undefined ? null : paramsOf(spec.params),
    // Instances of a service are as many as are wanted now.
    chunks: spec.restart === undefined ? shownChunks(spec) : null,
    restart: spec.restart ?? null,
    ready: spec.ready ?? null,
    ports: spec.ports ?? null,
    stopGraceSeconds: spec.stopGraceSeconds ?? null,
    until,
  };
  return `${signedJobVersion}\n${canonicalJson(covered)}`;
}

/** Some of it may be left out, and a directory may be written with its slash. */
function inputOf(input: JobInput) {
  const { path, sha256, url, manifest, writable, executable, unpack } = input;
  return {
    path: path.replace(/\/$/, ''),
    sha256: sha256 ?? null,
    manifest: manifest ?? null,
    writable: writable ?? false,
    executable: executable ?? false,
    ...(url !== undefined && { url }),
    ...(unpack !== undefined && { unpack }),
  };
}

/** The order of its names decides which chunk gets what, so they are a list. */
function paramsOf(params: Sweep): unknown {
  return 'matrix' in params ? { matrix: Object.entries(params.matrix) } : params;
}
