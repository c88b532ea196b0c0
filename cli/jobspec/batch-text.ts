import { quoted } from '../../core/contract/jobspec/command.ts';
import { type ClusterExecutor, jobsOf } from '../../core/contract/jobspec/job-bodies.ts';
import type { JobspecPlan } from '../../core/contract/jobspec/plan.ts';
import { isRecord } from '../../core/protocol/json.ts';

/**
 * A jobspec as a script that hands its jobs to Slurm or Flux, in their order, each after those it
 * waits for. Of `a|b` it is the first; what a cluster must be like is not in it.
 */
export type BatchLanguage = Exclude<ClusterExecutor, 'process'>;

export function batchText(plan: JobspecPlan, language: BatchLanguage): string {
  const to = { kind: 'cluster', edge: 'cluster', executor: language } as const;
  const jobs = jobsOf(plan, { to, chosen: new Map() });
  const variables = new Map(jobs.map(({ name }, at) => [name, `job_${at}`]));
  const parts = jobs.map(({ name, after, body }) => {
    const parents = after.map((it) => variables.get(it)!);
    const batch = batchOf(name, body, language);
    const words = language === 'slurm' ? slurmWords(batch, parents) : fluxWords(batch, parents);
    return [`# ${oneLine(name)}`, `${variables.get(name)}=$(${words})`, ''].join('\n');
  });
  const ids = [...variables].map(([name, id]) => `echo ${quoted(name)} $${id}`);
  const before = language === 'flux' ? [afterFunction, ''] : [];
  const said = plan.name === null ? '' : `# ${oneLine(plan.name)}\n`;
  return ['#!/bin/sh', `${said}set -e`, '', ...before, ...parts, ...ids, ''].join('\n');
}

/** Every run of a job that had several has an id of its own. */
const afterFunction = `after() {
  for id in "$@"; do printf ' --dependency=afterok:%s' "$id"; done
}`;

type Batch = {
  readonly name: string;
  readonly runs: number;
  readonly nodes: number;
  readonly memoryMb: number | null;
  readonly gpus: number | null;
  readonly argv: readonly string[];
  readonly environment: readonly (readonly [string, string])[];
  readonly cwd: string | null;
  readonly seconds: number | null;
  readonly options: readonly string[];
};

function batchOf(
  name: string,
  body: Readonly<Record<string, unknown>>,
  language: BatchLanguage,
): Batch {
  const run = (body.run as Record<string, Record<string, unknown>>)[language]!;
  const resources = body.resources as Readonly<Record<string, number>>;
  return {
    name,
    runs: Number(body.chunks),
    nodes: resources.nodes ?? 1,
    memoryMb: resources.memoryMb ?? null,
    gpus: resources.gpus ?? null,
    argv: run.argv as readonly string[],
    environment: Object.entries(isRecord(run.env) ? run.env : {}).map(([key, value]) => [
      key,
      String(value),
    ]),
    cwd: typeof run.cwd === 'string' ? run.cwd : null,
    seconds: typeof run.timeoutSeconds === 'number' ? run.timeoutSeconds : null,
    options: (run.options ?? []) as readonly string[],
  };
}

function slurmWords(batch: Batch, parents: readonly string[]): string {
  const { name, runs, nodes, memoryMb, gpus, seconds } = batch;
  const words = ['sbatch', '--parsable', `--job-name=${name}`, `--nodes=${nodes}`];
  if (runs > 1) words.push(`--array=0-${runs - 1}`);
  if (memoryMb !== null) words.push(`--mem=${Math.ceil(memoryMb / nodes)}M`);
  if (gpus !== null) words.push(`--gpus=${gpus}`);
  // Slurm counts a limit in minutes.
  if (seconds !== null) words.push(`--time=${Math.max(1, Math.ceil(seconds / 60))}`);
  const after = parents.map((it) => `:$${it}`).join('');
  const waits = after === '' ? '' : ` --kill-on-invalid-dep=yes --dependency=afterok${after}`;
  const script = [
    '#!/bin/sh',
    `export EDGEWISE_CHUNK="\${SLURM_ARRAY_TASK_ID:-0}" EDGEWISE_CHUNKS=${runs}`,
    ...batch.environment.map(([key, value]) => `export ${key}=${quoted(value)}`),
    ...(batch.cwd === null ? [] : [`cd ${quoted(batch.cwd)} || exit 1`]),
    `exec ${batch.argv.map(quoted).join(' ')}`,
  ].join('\n');
  const end = endOf(script);
  const all = [...words, ...batch.options].map(quoted).join(' ');
  return `${all}${waits} <<'${end}'\n${script}\n${end}\n`;
}

function fluxWords(batch: Batch, parents: readonly string[]): string {
  const { name, runs, nodes, seconds, cwd } = batch;
  const words = ['flux', 'submit', `--job-name=${name}`, `--nodes=${nodes}`];
  if (runs > 1) words.push(`--cc=0-${runs - 1}`, '--env=EDGEWISE_CHUNK={cc}');
  else words.push('--env=EDGEWISE_CHUNK=0');
  words.push(`--env=EDGEWISE_CHUNKS=${runs}`);
  for (const [key, value] of batch.environment) words.push(`--env=${key}=${value}`);
  if (cwd !== null) words.push(`--cwd=${cwd}`);
  if (seconds !== null) words.push(`--time-limit=${seconds}s`);
  const waits = parents.length === 0 ? '' : ` $(after ${parents.map((it) => `$${it}`).join(' ')})`;
  const options = [...words, ...batch.options].map(quoted).join(' ');
  return `${options}${waits} ${batch.argv.map(quoted).join(' ')}`;
}

/** A line that ends the script and is none of it. */
function endOf(script: string): string {
  const lines = new Set(script.split('\n'));
  let end = 'END';
  while (lines.has(end)) end += '_';
  return end;
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
