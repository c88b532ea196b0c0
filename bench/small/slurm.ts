import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figures } from '../run.ts';

/**
 * Slurm from Debian's packages on the same host, with its own jobs of `true`: several submitters at
 * once, and one job at a time.
 */
const script = fileURLToPath(new URL('../../test/edge-agent/slurm/one-host.sh', import.meta.url));
const run = promisify(execFile);
const jobs = 120;
const submitters = 4;
const loneJobs = 10;

export async function slurmFigures(home: string): Promise<readonly Figures[]> {
  const directory = join(home, 'slurm');
  mkdirSync(directory, { mode: 0o755 });
  const env = { ...process.env, SLURM_PORT: String(20_000 + (process.pid % 10_000)) };
  const started = spawnSync(script, ['start', directory], { encoding: 'utf8', env });
  if (started.status !== 0) {
    const reason = started.stdout.trim() || started.stderr.trim();
    return [{ figure: 'Slurm', value: `not here: ${reason}` }];
  }
  try {
    return await measure({ ...env, SLURM_CONF: join(directory, 'slurm.conf') });
  } finally {
    spawnSync(script, ['stop', directory]);
  }
}

async function measure(env: NodeJS.ProcessEnv): Promise<readonly Figures[]> {
  const submit = () => run('sbatch', ['--output=/dev/null', '--wrap=true'], { env });
  const queued = async () => (await run('squeue', ['-h', '-o', '%i'], { env })).stdout.trim();
  const empty = async () => {
    while ((await queued()) !== '') await delay(20);
  };
  await submit();
  await empty();
  const startedAtMs = performance.now();
  const worker = async () => {
    for (let at = 0; at < jobs / submitters; at++) await submit();
  };
  await Promise.all(Array.from({ length: submitters }, worker));
  await empty();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const lone: number[] = [];
  for (let at = 0; at < loneJobs; at++) {
    const beganMs = performance.now();
    await submit();
    await empty();
    lone.push(performance.now() - beganMs);
  }
  lone.sort((a, b) => a - b);
  return [
    { figure: 'Slurm: jobs per second, sbatch to done', value: rounded(jobs / seconds) },
    { figure: 'Slurm: one job, sbatch to done, ms p50', value: rounded(lone[loneJobs / 2]!) },
  ];
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
