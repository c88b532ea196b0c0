import { execFileSync } from 'node:child_process';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { makeArchive, makePackages, writeChecksums } from './release/make-packages.ts';
import { debianChangelog } from './release/package-plan.ts';
import { writeManifest } from './release/sign-manifest.ts';
import { stampRelease } from './release/stamp-release.ts';
import { endWith, node, root, Stop, toolEnvironment } from './repository.mjs';
import { ensurePackageMaker } from './setup/package-maker.ts';

/**
 * `npm run release -- --version X`: stamps one version everywhere, cuts the changelog, commits
 * that, builds everything that people install into `dist/release/X`, and tags the commit. Refuses
 * a tree with changes. A run that broke off is run again. `--dry-run` builds what there is under
 * its present version, and changes nothing else.
 *
 * With `--sign-with FILE`, a key of `edgewise sign --new-key`, the programs themselves and the
 * signed `manifest.json` are there as well, by which agents update themselves.
 *
 *     npm run release -- --version X [--dry-run] [--architecture x64|arm64] [--sign-with FILE]
 */
const kinds = ['x64', 'arm64'] as const;
type Kind = (typeof kinds)[number];

function main(): void {
  const { values } = parseArgs({
    options: {
      version: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      architecture: { type: 'string', multiple: true },
      'sign-with': { type: 'string' },
    },
  });
  const asked = (values.architecture ?? kinds) as readonly Kind[];
  const unknown = asked.find((kind) => !kinds.includes(kind));
  if (unknown !== undefined) throw new Stop(`There is nothing for "${unknown}".`);
  const present: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  const version = values.version ?? (values['dry-run'] ? present : undefined);
  if (version === undefined) throw new Stop('Say which version: --version 1.2.0');
  // Before anything is built, or stamped.
  const path = values['sign-with'];
  const signer = path === undefined ? null : createPrivateKey(readFileSync(path));
  const maker = ensurePackageMaker();
  if (maker.path === null) throw new Stop(`Nothing is released: ${maker.reason}.`);
  if (!values['dry-run']) {
    stampRelease(root, version, new Date().toISOString().slice(0, 10), process.env);
  } else if (version !== present)
    throw new Stop(`A dry run builds ${present}, the present version.`);
  const folder = build(version, asked, maker.path, signer);
  if (!values['dry-run'])
    git('tag', '--annotate', `v${version}`, '--message', `Edgewise ${version}`);
  console.log(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd());
  console.log(`${folder} has Edgewise ${version}${values['dry-run'] ? ', not released' : ''}.`);
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
}

function build(
  version: string,
  asked: readonly Kind[],
  maker: string,
  signer: KeyObject | null,
): string {
  const releases = join(root, 'dist', 'release');
  const folder = join(releases, `${version}.new`);
  const built = join(releases, 'parts');
  for (const path of [folder, built]) rmSync(path, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  mkdirSync(folder, { recursive: true });
  const secondsOfCommit = Number(git('log', '-1', '--format=%ct'));
  const madeAt = new Date(secondsOfCommit * 1_000).toISOString();
  buildBinaries(asked, built);
  writeFilesBeside(built, version, madeAt);
  for (const architecture of asked) {
    const input = { version, architecture, built, root, madeAt, folder, maker, secondsOfCommit };
    makePackages(input);
    makeArchive(input);
  }
  if (signer !== null) writeManifest({ built, folder, version, madeAt, signer });
  run('scripts/write-sbom.ts');
  execFileSync('cp', [join(root, 'dist', 'sbom', 'edgewise.cdx.json'), folder]);
  execFileSync('cp', [join(root, 'dist', 'edgewise-agent.provenance.json'), folder]);
  writeChecksums(folder);
  const done = join(releases, version);
  rmSync(done, { recursive: true, force: true });
  renameSync(folder, done);
  rmSync(built, { recursive: true, force: true });
  return done;
}

function buildBinaries(asked: readonly Kind[], built: string): void {
  run('scripts/build-agent.ts', ...asked);
  for (const kind of asked) {
    const agent = `edgewise-agent-linux-${kind}`;
    execFileSync('cp', [join(root, 'dist', agent), built]);
    const client = join(built, `edgewise-linux-${kind}`);
    run('scripts/build-cli.mjs', `--target=bun-linux-${kind}`, '--outfile', client);
  }
}

/** What lies beside the binaries: completions, the unit with its path, the changelogs. */
function writeFilesBeside(built: string, version: string, madeAt: string): void {
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(join(built, `completion.${shell}`), run('cli/main.ts', 'completion', shell));
  }
  const unit = readFileSync(join(root, 'packaging', 'edgewise-agent.service'), 'utf8');
  const path = unit.replace(/^ExecStart=.*$/m, 'ExecStart=/usr/bin/edgewise-agent');
  writeFileSync(join(built, 'edgewise-agent.service'), path);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'));
  writeFileSync(join(built, 'changelog.gz'), gzipSync(changelog, { level: 9 }));
  for (const name of ['edgewise', 'edgewise-agent']) {
    const text = debianChangelog(name, version, madeAt);
    writeFileSync(join(built, `${name}.changelog.gz`), gzipSync(text, { level: 9 }));
  }
}

function run(script: string, ...words: string[]): string {
  return execFileSync(node, [join(root, script), ...words], {
    cwd: root,
    env: toolEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

try {
  main();
} catch (error) {
  endWith(error);
}
