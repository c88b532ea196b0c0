import type { BatchRun } from '../../core/model/job.ts';
import type { RunCommand } from '../host/command.ts';
import { type Batch, type ClusterScheduler, signalName, type TaskState } from './cluster.ts';
import { outputPath, takeOutput } from './cluster-files.ts';

/**
 * Flux by its own commands: one `flux submit --cc` for a batch, `flux jobs` to follow it, `flux
 * cancel`. The chunk's place in the batch is part of the job's name, so that a lost answer can be
 * found again.
 */
export function makeFlux(runCommand: RunCommand, directory: string): ClusterScheduler {
  return {
    name: 'flux',
    async submit(batch) {
      const argv = ['flux', 'submit', ...submitOptions(batch, directory)];
      const { code, output } = await runCommand(argv);
      const ids = output.split('\n').filter((line) => /^(ƒ|f)[0-9A-Za-z]+$/.test(line.trim()));
      if (code !== 0 || ids.length !== batch.chunks.length) {
        throw new Error(output.trim().split('\n').at(-1) || 'flux submit failed');
      }
      return ids.map((id) => id.trim());
    },
    async find(batch) {
      const argv = ['flux', 'jobs', '-a', '-n', '--count=0', '--format={id} {name}'];
      const { code, output } = await runCommand(argv);
      if (code !== 0) throw new Error(output.trim().split('\n').at(-1) || 'flux jobs failed');
      const handles: string[] = [];
      for (const line of output.split('\n')) {
        const [id, name] = line.trim().split(/\s+/);
        const match = new RegExp(`^edgewise-${batch.token}-(\\d+)$`).exec(name ?? '');
        const index = batch.chunks.findIndex(({ chunk }) => chunk === Number(match?.[1]));
        if (id !== undefined && match !== null && index >= 0) handles[index] = id;
      }
      return handles.length === 0 ? null : handles;
    },
    async poll(handles) {
      const states = new Map<string, TaskState>();
      if (handles.length === 0) return states;
      const format = '--format={id} {status} {returncode}';
      const { code, output } = await runCommand(['flux', 'jobs', '-a', '-n', format, ...handles]);
      // A few unknown ids are an error, and the others are still told.
      if (code !== 0 && output.trim() === '') throw new Error('flux jobs failed');
      for (const line of output.split('\n')) {
        const [id, status, returned] = line.trim().split(/\s+/);
        if (id !== undefined && status !== undefined) states.set(id, stateOf(status, returned));
      }
      return states;
    },
    async cancel(handles) {
      await runCommand(['flux', 'cancel', ...handles]);
    },
    exitCode: () => null,
    forget: () => {},
    output: (batch, index) => takeOutput(directory, batch, batch.chunks[index]!.chunk),
  };
}

function submitOptions(batch: Batch, directory: string): string[] {
  const spec = batch.spec!;
  const run = (spec.run as { flux: BatchRun }).flux;
  const { cores, gpus, nodes } = spec.resources;
  const first = batch.chunks[0]!;
  const environment: Record<string, string> = {
    ...run.env,
    EDGEWISE_JOB: first.job,
    EDGEWISE_CHUNK: '{cc}',
    EDGEWISE_CHUNKS: String(spec.chunks),
    EDGEWISE_ATTEMPT: String(first.attempt),
    EDGEWISE_EDGE: first.edge,
    EDGEWISE_POWER: String(batch.power),
  };
  const options = [`--cc=${batch.chunks.map(({ chunk }) => chunk).join(',')}`];
  options.push(`--job-name=edgewise-${batch.token}-{cc}`);
  options.push(`--output=${outputPath(directory, batch.token, '{cc}')}`);
  for (const [key, value] of Object.entries(environment)) options.push(`--env=${key}=${value}`);
  if (cores !== undefined) options.push(`--cores-per-task=${cores}`);
  if (gpus !== undefined && gpus > 0) options.push(`--gpus-per-task=${gpus}`);
  if (nodes !== undefined) options.push(`--nodes=${nodes}`);
  if (typeof run.cwd === 'string') options.push(`--cwd=${run.cwd}`);
  if (typeof run.timeoutSeconds === 'number') options.push(`--time-limit=${run.timeoutSeconds}s`);
  return [...options, ...(run.options ?? []), ...run.argv];
}

function stateOf(status: string, returned: string | undefined): TaskState {
  switch (status) {
    case 'COMPLETED':
      return { failure: null };
    case 'CANCELED':
      return 'cancelled';
    case 'TIMEOUT':
      return { failure: 'timeout' };
    case 'FAILED': {
      const code = Number(returned);
      if (code < 0) return { failure: `signal ${signalName(-code)}` };
      return { failure: code > 0 ? code : 'failed' };
    }
    default:
      return 'open';
  }
}
