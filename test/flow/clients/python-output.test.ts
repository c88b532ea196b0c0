import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { findPython } from '../../../scripts/setup/python-tools.mjs';
import { serveKeptOutput } from '../../clients/kept-output.ts';
import { root } from '../../source-files.ts';

const python = findPython();

const program = `
import sys
from edgewise import Client
sys.stdout.buffer.write(Client().output("job"))
`;

test.for([
  ['that its job keeps whole comes whole', 1, 1],
  ['of which the ends are kept comes as they are', undefined, 0],
] as const)('an output %s', async ([_, outputMb, misses], { skip }) => {
  if (python === undefined) return skip('there is no Python 3.10 or newer here');
  const kept = await serveKeptOutput(outputMb, misses);
  try {
    const env = {
      ...process.env,
      PYTHONPATH: join(root, 'clients', 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
      EDGEWISE_API: kept.url,
      EDGEWISE_TOKEN: 'some',
    };
    const running = spawn(python, ['-c', program], { env });
    const [out, err] = await Promise.all([buffer(running.stdout), text(running.stderr)]);
    expect(err).toBe('');
    expect(out.equals(outputMb === undefined ? kept.ends : kept.whole)).toBe(true);
  } finally {
    await kept.close();
  }
});
