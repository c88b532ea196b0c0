import type { BatchRun } from '../../core/model/job.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { removeQuietly } from '../disk/data-directory.ts';
import type { RunCommand } from '../host/command.ts';
import { type Batch, type ClusterScheduler, signalName, type TaskState } from './cluster.ts';
import {
  errorsPath,
  linesIn,
  outputPath,
  readExit,
  scriptPath,
  takeOutput,
  writeScript,
} from './cluster-files.ts';

/**
 * Slurm by its own commands: one `sbatch --array` for a batch, `squeue` while it knows the tasks,
 * `sacct` (where the site keeps accounts) and the task's own exit file after that, `scancel`. A
 * handle is `<array job>_<task>`.
 */
export function makeSlurm(runCommand: RunCommand, directory: string): ClusterScheduler {
  return {
    name: 'slurm',
    async submit(batch) {
      const script = writeScript(directory, batch, '$SLURM_ARRAY_TASK_ID');
      const argv = ['sbatch', ...submitOptions(batch, directory), script];
      const { code, output } = await runCommand(argv);
      const id = /^(\d+)/m.exec(output)?.[1];
      if (code !== 0 || id === undefined) throw new Error(lastLine(output) || 'sbatch failed');
      return batch.chunks.map((_, index) => `${id}_${index}`);
    },
    async find(batch) {
      const format = 'ArrayJobID:24';
      const name = jobName(batch.token);
      const argv = ['squeue', '-h', '-r', '-t', 'all', '-n', name, '-O', format];
      const { code, output } = await runCommand(argv);
      if (code !== 0) throw new Error(lastLine(output) || 'squeue failed');
      const id = /(\d+)/.exec(output)?.[1];
      return id === undefined ? null : batch.chunks.map((_, index) => `${id}_${index}`);
    },
    async poll(handles) {
      const states = await askQueue(runCommand, handles);
      const missing = handles.filter((handle) => !states.has(handle));
      if (missing.length > 0) {
        for (const [handle, state] of await askAccounts(runCommand, missing)) {
          states.set(handle, state);
        }
      }
      return states;
    },
    async cancel(handles) {
      await runCommand(['scancel', ...handles]);
    },
    async queued() {
      const { code, output } = await runCommand([
        'squeue',
        '-h',
        '-r',
        '-t',
        'PENDING',
        '-o',
        '%i',
      ]);
      return code === 0 ? linesIn(output) : null;
    },
    output: (batch, index) => takeOutput(directory, batch, index),
    exitCode: (batch, index) => readExit(directory, batch, index),
    forget: (batch) => removeQuietly(scriptPath(directory, batch.token)),
  };
}

function jobName(token: string): string {
  return `edgewise-${token}`;
}

function submitOptions(batch: Batch, directory: string): string[] {
  const spec = batch.spec!;
  const run = (spec.run as { slurm: BatchRun }).slurm;
  const { cores, memoryMb, gpus, nodes } = spec.resources;
  const options = ['--parsable', '--no-requeue', `--job-name=${jobName(batch.token)}`];
  options.push(`--array=0-${batch.chunks.length - 1}`);
  options.push(`--output=${outputPath(directory, batch.token, '%a')}`, '--open-mode=append');
  if (spec.stderr === 'apart') options.push(`--error=${errorsPath(directory, batch.token, '%a')}`);
  if (cores !== undefined) options.push(`--cpus-per-task=${cores}`);
  if (memoryMb !== undefined) options.push(`--mem=${memoryMb}M`);
  if (gpus !== undefined && gpus > 0) options.push(`--gpus=${gpus}`);
  if (nodes !== undefined) options.push(`--nodes=${nodes}`);
  // From where it begins; the script goes on into the directory of its chunk.
  options.push(`--chdir=${directory}`);
  // Slurm counts a limit in minutes.
  if (typeof run.timeoutSeconds === 'number') {
    options.push(`--time=${Math.max(1, Math.ceil(run.timeoutSeconds / 60))}`);
  }
  return [...options, ...(run.options ?? [])];
}

const queueFormat = 'ArrayJobID:24,ArrayTaskID:24,State:32,exit_code:24';

async function askQueue(
  runCommand: RunCommand,
  handles: readonly string[],
): Promise<Map<string, TaskState>> {
  const states = new Map<string, TaskState>();
  if (handles.length === 0) return states;
  const ids = [...new Set(handles.map((handle) => handle.split('_')[0]))];
  const argv = ['squeue', '-h', '-r', '-t', 'all', '-j', ids.join(','), '-O', queueFormat];
  const { code, output } = await runCommand(argv);
  // Jobs that are long over are an error to squeue, when all of them are.
  if (code !== 0 && !/invalid job id/i.test(output)) throw new Error(lastLine(output));
  for (const line of output.split('\n')) {
    const [id, task, state, exit] = line.trim().split(/\s+/);
    if (id === undefined || task === undefined || state === undefined) continue;
    states.set(`${id}_${task}`, stateOf(state, exit ?? ''));
  }
  return states;
}

async function askAccounts(
  runCommand: RunCommand,
  handles: readonly string[],
): Promise<Map<string, TaskState>> {
  const states = new Map<string, TaskState>();
  const format = '--format=JobID,State,ExitCode';
  const argv = ['sacct', '-n', '-P', '-X', '-j', handles.join(','), format];
  const { code, output } = await runCommand(argv);
  if (code !== 0) return states;
  for (const line of output.split('\n')) {
    const [id, state, exit] = line.trim().split('|');
    if (id?.includes('_') && state !== undefined) {
      states.set(id, stateOf(state.split(' ')[0]!, exit ?? ''));
    }
  }
  return states;
}

const openStates = new Set([
  'PENDING',
  'RUNNING',
  'CONFIGURING',
  'COMPLETING',
  'SUSPENDED',
  'REQUEUED',
  'RESIZING',
  'SIGNALING',
  'STAGE_OUT',
  'STOPPED',
]);

function stateOf(state: string, exit: string): TaskState {
  if (openStates.has(state)) return 'open';
  if (state === 'COMPLETED') return { failure: null };
  if (state.startsWith('CANCELLED')) return 'cancelled';
  if (state === 'TIMEOUT') return { failure: 'timeout' };
  if (state !== 'FAILED') return { failure: state.toLowerCase().replaceAll('_', '-') };
  return { failure: failureOf(exit) };
}

/**
 * `sacct` writes `1:0` for exit code 1 and `0:9` for signal 9; `squeue` the status as `wait` gives
 * it.
 */
function failureOf(exit: string): Failure {
  const status = Number(exit);
  const pair = exit.includes(':') ? exit.split(':').map(Number) : [status >> 8, status & 127];
  const [code = 0, signal = 0] = pair;
  if (signal > 0) return `signal ${signalName(signal)}`;
  return code > 0 ? code : 'failed';
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}
