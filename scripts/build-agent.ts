import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run build:agent`: the agent as one file for each kind of machine, in `dist/`, with its
 * checksums. Bun compiles for the other architecture too, with its runtime from the package
 * registry.
 *
 *     node scripts/build-agent.ts [x64] [arm64]
 */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const architectures = ['x64', 'arm64'] as const;
const bun = join(root, 'node_modules', '.bin', 'bun');

function build(architecture: string): string {
  const file = `edgewise-agent-linux-${architecture}`;
  const target = `bun-linux-${architecture}`;
  const entry = join(root, 'edge-agent', 'main.ts');
  const outfile = join(dist, file);
  const flags = ['--compile', `--target=${target}`, '--minify-syntax', '--minify-whitespace'];
  execFileSync(bun, ['build', ...flags, `--outfile=${outfile}`, entry], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

function checksum(file: string): string {
  const digest = createHash('sha256')
    .update(readFileSync(join(dist, file)))
    .digest('hex');
  return `${digest}  ${file}`;
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !architectures.some((known) => known === name));
if (unknown !== undefined) {
  console.error(`"${unknown}" is not one of ${architectures.join(', ')}.`);
  process.exit(2);
}
if (!existsSync(bun)) {
  console.error('Bun is not installed here. Run npm install first.');
  process.exit(1);
}
mkdirSync(dist, { recursive: true });
const files = (asked.length === 0 ? architectures : asked).map(build);
const sums = `${files.map(checksum).join('\n')}\n`;
writeFileSync(join(dist, 'edgewise-agent.sha256'), sums);
process.stdout.write(sums);
