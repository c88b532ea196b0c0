/** What follows needs the packages, and a Node that runs TypeScript: the host's may be older. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { endWith, node, root, toolEnvironment } from '../repository.mjs';
import { ensurePackages } from '../setup/packages.mjs';

/** @param {string} program */
export function runOnOwnNode(program) {
  try {
    ensurePackages();
  } catch (error) {
    return endWith(error);
  }
  const words = [join(root, 'scripts', 'deploy', program), ...process.argv.slice(2)];
  const { status } = spawnSync(node, words, { stdio: 'inherit', env: toolEnvironment() });
  process.exitCode = status ?? 1;
}
