import type { BatchRun } from '../../core/model/job.ts';
import { removeQuietly } from '../disk/data-directory.ts';
import type { RunCommand } from '../host/command.ts';
import { type Batch, type ClusterScheduler, signalName, type TaskState } from './cluster.ts';
import {
  errorsPath,
  linesIn,
  outputPath,
  scriptPath,
  takeOutput,
  writeScript,
} from './cluster-files.ts';

/**
 * Flux by its own commands: one `flux submit --cc` for a batch, `flux jobs` to follow it, `flux
 * cancel`. The task's place in the batch is part of the job's name, so that a lost answer can be
 * found again.
 */
export function makeFlux(runCommand: RunCommand, directory: string): ClusterScheduler {
  return {
    name: 'flux',
    async submit(batch) {
      // The environment of a chunk travels in the script: a command line is for everybody to read.
      const script = writeScript(directory, batch, '$1');
      const argv = ['flux', 'submit', ...submitOptions(batch, directory), script, '{cc}'];
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
        if (id !== undefined && match !== null) handles[Number(match[1])] = id;
      }
      return handles.length === 0 ? null : handles;
    },
    async poll(handles) {
      const states = new Map<string, TaskState>();
      if (handles.length === 0) return states;
      const format = '--format={id} {status} {returncode}';
      const { code, output } = await runCommand(['flux', 'jobs', '-a', '-n', format, ...handles]);
      // A few unknown ids are an error, and the others are still listed.
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
    async queued() {
      const argv = ['flux', 'jobs', '-A', '-n', '--count=0', '--filter=pending', '--format={id}'];
      const { code, output } = await runCommand(argv);
      return code === 0 ? linesIn(output) : null;
    },
    exitCode: () => null,
    forget: (batch) => removeQuietly(scriptPath(directory, batch.token)),
    output: (batch, index) => takeOutput(directory, batch, index),
  };
}

function submitOptions(batch: Batch, directory: string): string[] {
  const spec = batch.spec!;
  const run = (spec.run as { flux: BatchRun }).flux;
  const { cores, gpus, nodes } = spec.resources;
  const options = [`--cc=0-${batch.chunks.length - 1}`];
  options.push(`--job-name=edgewise-${batch.token}-{cc}`);
  options.push(`--output=${outputPath(directory, batch.token, '{cc}')}`);
  if (spec.stderr === 'apart')
    options.push(`--error=${errorsPath(directory, batch.token, '{cc}')}`);
  if (cores !== undefined) options.push(`--cores-per-task=${cores}`);
  if (gpus !== undefined && gpus > 0) options.push(`--gpus-per-task=${gpus}`);
  if (nodes !== undefined) options.push(`--nodes=${nodes}`);
  // From where it begins; the script goes on into the directory of its chunk.
  options.push(`--cwd=${directory}`);
  if (typeof run.timeoutSeconds === 'number') options.push(`--time-limit=${run.timeoutSeconds}s`);
  return [...options, ...(run.options ?? [])];
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
