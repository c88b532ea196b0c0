import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endWith, root, Stop } from './repository.mjs';
import { type BuiltFile, provenanceOf } from './supply-chain/provenance.ts';

/**
 * `npm run build:agent`: the agent as one file for each kind of machine, in `dist/`, with its
 * checksums (`SHA256SUMS`) and where it comes from (`edgewise-agent.provenance.json`). Bun compiles
 * for the other architecture too, with its runtime from the package registry. The same commit and
 * packages give the same bytes, wherever they are built: `--verify` builds once more, elsewhere,
 * and compares with the checksums that are there.
 *
 *     node scripts/build-agent.ts [x64] [arm64] [--verify]
 */
const dist = join(root, 'dist');
const sumsPath = join(dist, 'SHA256SUMS');
const architectures = ['x64', 'arm64'];
const bun = join(root, 'node_modules', '.bin', 'bun');

function build(architecture: string, folder: string): BuiltFile {
  const name = `edgewise-agent-linux-${architecture}`;
  const outfile = join(folder, name);
  const flags = ['--compile', '--minify-syntax', '--minify-whitespace'];
  const target = `--target=bun-linux-${architecture}`;
  const entry = join(root, 'edge-agent', 'main.ts');
  execFileSync(bun, ['build', ...flags, target, `--outfile=${outfile}`, entry], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { name, sha256: sha256Of(outfile) };
}

function sha256Of(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

const lineOf = ({ name, sha256 }: BuiltFile): string => `${sha256}  ${name}`;

function writeAll(asked: readonly string[]): void {
  mkdirSync(dist, { recursive: true });
  const files = asked.map((architecture) => build(architecture, dist));
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const provenance = provenanceOf({
    files,
    architectures: asked,
    source: sourceOf(),
    lockFileSha256: sha256Of(join(root, 'package-lock.json')),
    compiler: { name: 'bun', version: devDependencies.bun },
    environment: process.env,
  });
  const path = join(dist, 'edgewise-agent.provenance.json');
  writeFileSync(path, `${JSON.stringify(provenance, null, 2)}\n`);
  const sums = `${files.map(lineOf).join('\n')}\n`;
  writeFileSync(sumsPath, sums);
  process.stdout.write(sums);
}

/** `null` where this is no clone: an archive of the sources. */
function sourceOf() {
  const git = (...words: string[]): string =>
    execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const commit = git('rev-parse', 'HEAD').trim();
    return { commit, isChanged: git('status', '--porcelain').trim() !== '' };
  } catch {
    return null;
  }
}

function verify(asked: readonly string[]): void {
  if (!existsSync(sumsPath)) throw new Stop(`There is no ${sumsPath}: build first.`);
  const sums = readFileSync(sumsPath, 'utf8').split('\n');
  const folder = mkdtempSync(join(tmpdir(), 'edgewise-build-'));
  try {
    for (const architecture of asked) {
      const file = build(architecture, folder);
      if (!sums.includes(lineOf(file))) {
        throw new Stop(`${file.name} has another checksum this time: ${file.sha256}.`);
      }
      console.log(`${file.name} is the same again`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { verify: { type: 'boolean', default: false } },
  });
  const unknown = positionals.find((name) => !architectures.includes(name));
  if (unknown !== undefined) {
    console.error(`"${unknown}" is not one of ${architectures.join(', ')}.`);
    process.exit(2);
  }
  if (!existsSync(bun)) throw new Stop('Bun is not installed here. Run npm install first.');
  const asked = positionals.length === 0 ? architectures : positionals;
  if (values.verify) verify(asked);
  else writeAll(asked);
} catch (error) {
  endWith(error);
}
