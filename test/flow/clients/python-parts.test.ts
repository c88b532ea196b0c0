import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findPython } from '../../../scripts/setup/python-tools.mjs';
import { adminSecret, type ServedFleet, startServedFleet } from '../../cli/api/served-fleet.ts';
import { serveKeptOutput } from '../../clients/kept-output.ts';
import { root } from '../../source-files.ts';

let directory: string;
let fleet: ServedFleet;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-python-'));
  fleet = await startServedFleet();
});
afterEach(async () => {
  await fleet.close();
  rmSync(directory, { recursive: true, force: true });
});

const python = findPython();

async function run(program: string): Promise<string> {
  return (await bytesOf(program, fleet.url)).toString().trim();
}

async function bytesOf(program: string, url: string): Promise<Buffer> {
  const env = {
    ...process.env,
    PYTHONPATH: join(root, 'clients', 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    EDGEWISE_API: url,
    EDGEWISE_TOKEN: adminSecret,
  };
  const running = spawn(python!, ['-c', program], { cwd: directory, env });
  const [out, err] = await Promise.all([buffer(running.stdout), text(running.stderr)]);
  expect(err).toBe('');
  return out;
}

const make = `
from pathlib import Path
from edgewise import Client
tree = Path("tree")
tree.mkdir(exist_ok=True)
(tree / "small").write_bytes(b"small")
with (tree / "large").open("wb") as file:
    file.truncate(70_000_000)
client = Client()
`;

test('a large file is sent in parts, alone and in a tree, and once', async ({ skip }) => {
  if (python === undefined) return skip('there is no Python 3.10 or newer here');
  const sha256 = await run(`${make}print(client.put(tree / "large"))`);
  expect((await fleet.api.services.files.find('default', sha256))?.bytes).toBe(70_000_000);
  const puts = () => fleet.seen.filter(({ method }) => method === 'PUT').length;
  expect(fleet.seen.filter(({ path }) => path === '/v1/files')).toHaveLength(2);
  const before = puts();
  const manifest = await run(`${make}print(client.put_tree(tree))`);
  expect(await fleet.api.services.files.find('default', manifest)).not.toBeNull();
  // The small file and the list.
  expect(puts() - before).toBeLessThanOrEqual(2);
}, 60_000);

test.for([
  ['that its job keeps whole comes whole, also when that follows its ends', 1, 1],
  ['of which the ends are kept comes as they are', undefined, 0],
] as const)('an output %s', async ([_, outputMb, misses], { skip }) => {
  if (python === undefined) return skip('there is no Python 3.10 or newer here');
  const kept = await serveKeptOutput(outputMb, misses);
  try {
    const program = `
import sys
from edgewise import Client
sys.stdout.buffer.write(Client().output("job"))
`;
    const said = await bytesOf(program, kept.url);
    expect(said.equals(outputMb === undefined ? kept.ends : kept.whole)).toBe(true);
  } finally {
    await kept.close();
  }
});
