/**
 * `npm run build:cli`: the client as one file, for this machine or for `--target=bun-linux-arm64`.
 * It needs nothing on the host it runs on; only the local cloud stays with the repository.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endWith, root, Stop, toolEnvironment } from './repository.mjs';
import { ensurePackages } from './setup/packages.mjs';

function main() {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      outfile: { type: 'string', default: join(root, 'dist', 'edgewise') },
    },
  });
  ensurePackages();
  const target = values.target === undefined ? [] : [`--target=${values.target}`];
  const args = ['build', '--compile', '--minify', ...target, 'cli/main.ts'];
  const result = spawnSync(
    join(root, 'node_modules', '.bin', 'bun'),
    [...args, '--outfile', values.outfile],
    { cwd: root, env: toolEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (result.status !== 0) throw new Stop('The client could not be built; the reason is above.');
  const megabytes = Math.round(statSync(values.outfile).size / 1e6);
  console.log(`${values.outfile} (${megabytes} MB)`);
}

try {
  main();
} catch (error) {
  endWith(error);
}
