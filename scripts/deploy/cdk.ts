import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { node, root, Stop, toolEnvironment } from '../repository.mjs';

const program = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** The CDK's command line tool on the project's own Node; what it says goes to the terminal. */
export async function runCdk(words: readonly string[]): Promise<void> {
  const child = spawn(node, [program, '--no-notices', ...words], {
    cwd: root,
    env: toolEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Stop(`"cdk ${words[0]}" failed; the reason is above.`);
}
