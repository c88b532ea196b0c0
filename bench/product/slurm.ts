import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A real Slurm on this host, from Debian's packages and tuned to start at once, for the figures
 * that stand beside ours with `--slurm`.
 */
const script = join('test', 'edge-agent', 'slurm', 'one-host.sh');

/** `null`, with the reason printed, where that cannot be. */
export async function besideSlurm<T>(use: (slurm: Slurm) => T): Promise<T | null> {
  const home = mkdtempSync(join(tmpdir(), 'bench-slurm-'));
  const place = join(home, 'slurm');
  mkdirSync(place, { mode: 0o755 });
  const env = {
    ...process.env,
    SLURM_PORT: String(20_000 + (process.pid % 10_000)),
    SLURM_CPUS: '64',
  };
  const started = spawnSync(script, ['start', place], { encoding: 'utf8', env });
  try {
    if (started.status === 0) return use(makeSlurm(join(place, 'slurm.conf')));
    console.error(`no Slurm: ${started.stdout.trim() || started.stderr.trim()}`);
    return null;
  } finally {
    spawnSync(script, ['stop', place]);
    rmSync(home, { recursive: true, force: true });
  }
}

export type Slurm = {
  /** Seconds from the submit of an array to the end of its last task. */
  array(tasks: number, command: string): number;
};

function makeSlurm(conf: string): Slurm {
  const env = { ...process.env, SLURM_CONF: conf };
  return {
    array(tasks, command) {
      const startedAtMs = performance.now();
      const words = ['--wait', '--quiet', '--oversubscribe', '--output=/dev/null'];
      const what = [`--array=0-${tasks - 1}`, `--wrap=${command}`];
      execFileSync('sbatch', [...words, ...what], { env, stdio: 'ignore' });
      return (performance.now() - startedAtMs) / 1_000;
    },
  };
}

export const wantsSlurm = process.argv.includes('--slurm');
