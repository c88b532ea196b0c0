import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PlanInput, packagePlans } from './package-plan.ts';

/**
 * Packages and the archive of one kind of machine, in `folder`. Times and owners are those of the
 * plan, so that the same sources give the same bytes.
 */
export type Made = PlanInput & {
  readonly folder: string;
  /** Where nfpm is. */
  readonly maker: string;
  readonly secondsOfCommit: number;
};

const formats = ['deb', 'rpm'];

export function makePackages(input: Made): void {
  mkdirSync(input.folder, { recursive: true });
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(input.secondsOfCommit) };
  for (const { name, config } of packagePlans(input)) {
    // JSON is YAML, which is what nfpm reads.
    const path = join(input.built, `${name}-${input.architecture}.nfpm.yaml`);
    writeFileSync(path, JSON.stringify(config));
    for (const format of formats) {
      const words = ['package', '--config', path, '--packager', format, '--target', input.folder];
      execFileSync(input.maker, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    }
  }
}

/** One archive for hosts without a package manager: `tar xf`, then `sh install.sh .`. */
export function makeArchive(input: Omit<Made, 'maker'>): void {
  const { architecture, version, folder, root, built, secondsOfCommit } = input;
  const name = `edgewise-${version}-linux-${architecture}`;
  const inside = join(built, name);
  mkdirSync(inside, { recursive: true });
  const binary = `edgewise-agent-linux-${architecture}`;
  const from = [
    join(built, binary),
    join(built, `edgewise-linux-${architecture}`),
    ...['install.sh', 'edgewise-agent.service'].map((file) => join(root, 'packaging', file)),
    join(root, 'LICENSE'),
  ];
  execFileSync('cp', [...from, inside]);
  const sums = execFileSync('sha256sum', [binary], { cwd: inside, encoding: 'utf8' });
  writeFileSync(join(inside, 'SHA256SUMS'), sums);
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+w,go-w'];
  const words = [...same, `--mtime=@${secondsOfCommit}`, '--use-compress-program=gzip -n'];
  const archive = join(folder, `${name}.tar.gz`);
  execFileSync('tar', ['-cf', archive, ...words, '-C', built, name], { stdio: 'inherit' });
}

/** `sha256sum -c` reads it. */
export function writeChecksums(folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  const sums = execFileSync('sha256sum', names.sort(), { cwd: folder, encoding: 'utf8' });
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
}
