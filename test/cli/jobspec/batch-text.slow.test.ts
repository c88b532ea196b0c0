import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { batchText } from '../../../cli/jobspec/batch-text.ts';
import { planOf } from '../../core/contract/jobspec/planned.ts';

/** Scripts for other schedulers, run by a shell with schedulers that write down what they got. */
const node = { type: 'node', count: 2, with: [{ type: 'core', count: 4 }] };
const odd = 'it\'s $HOME `x` "y"\nEND\n';
const plan = planOf({
  name: 'flow',
  resources: { r: node },
  tasks: [
    {
      name: 'build all',
      command: ['printf', '%s', odd],
      resources: 'r',
      replicas: 2,
      attributes: { environment: { NOTE: odd }, duration: '90s' },
    },
    { name: 'test', command: 'echo $NOTHING', resources: 'r', depends_on: ['build all'] },
  ],
});

/** Each call is a line of its words; what came on standard input is run, where there is some. */
const recorder = `#!/bin/sh
count=$(cat "$CALLS.count" 2>/dev/null || echo 0)
echo $((count + 1)) > "$CALLS.count"
{ printf '%s|' "$@"; echo; } >> "$CALLS"
[ "$1" = submit ] || sh -s >> "$CALLS.out"
echo "id$count"
case "$*" in *--cc=*) echo "id$count.more" ;; esac
`;

function submitted(language: 'slurm' | 'flux') {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-batch-'));
  try {
    for (const program of ['sbatch', 'flux']) {
      writeFileSync(join(directory, program), recorder);
      chmodSync(join(directory, program), 0o755);
    }
    const script = join(directory, 'submit.sh');
    writeFileSync(script, batchText(plan, language));
    const CALLS = join(directory, 'calls');
    const env = { PATH: `${directory}:${process.env.PATH}`, CALLS };
    const printed = execFileSync('sh', [script], { env, encoding: 'utf8' });
    const output = language === 'slurm' ? readFileSync(`${CALLS}.out`, 'utf8') : '';
    return { printed, calls: readFileSync(CALLS, 'utf8'), output };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('for Slurm: each script arrives as it is, and waits for those before it', () => {
  const { printed, calls, output } = submitted('slurm');
  expect(printed).toBe('build all id0\ntest id1\n');
  expect(output).toBe(`${odd}\n`);
  const [build, check] = calls.trim().split('\n');
  expect(build).toContain('--job-name=build all|--nodes=2|--array=0-1|--time=2|');
  expect(check).toContain('--kill-on-invalid-dep=yes|--dependency=afterok:id0|');
});

test('for Flux: each run that is waited for is named', () => {
  const { calls } = submitted('flux');
  expect(calls).toContain(`|--env=NOTE=${odd}|`);
  expect(calls).toContain(`|printf|%s|${odd}|`);
  expect(calls).toContain('--dependency=afterok:id0|--dependency=afterok:id0.more|sh|-c|');
});
