import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository.mjs';

/**
 * The tool that writes packages for Debian and Fedora (nfpm), built by the host's Go from the
 * public module proxy, in exactly this version, whose checksums Go compares with its database.
 */
const version = 'v2.43.1';
const module = `github.com/goreleaser/nfpm/v2/cmd/nfpm@${version}`;
const buildMsMax = 300_000;

export type PackageMaker =
  | { readonly path: string; readonly reason: null }
  | { readonly path: null; readonly reason: string };

export function ensurePackageMaker(say = console.error): PackageMaker {
  const path = join(root, 'dist', `nfpm-${version}`);
  if (existsSync(path)) return { path, reason: null };
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
    return { path: null, reason: 'packages are made by nfpm, which needs Go to be built' };
  }
  say(`Building nfpm ${version} …`);
  const folder = `${path}.new`;
  mkdirSync(folder, { recursive: true });
  try {
    const done = spawnSync('go', ['install', module], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' },
      encoding: 'utf8',
      timeout: buildMsMax,
    });
    if (done.status !== 0) {
      const said = done.stderr?.trim().split('\n').at(-1);
      return { path: null, reason: `nfpm cannot be built: ${said || done.error?.message}` };
    }
    renameSync(join(folder, 'nfpm'), path);
    return { path, reason: null };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
