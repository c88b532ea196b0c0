import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, Stop } from '../repository.mjs';
import { cutChangelog } from './cut-changelog.ts';
import { isNewer, parseVersion, stampLockFile, stampManifest } from './version.ts';

/**
 * The commit of a release: one version everywhere, and the changelog cut. A release that broke off
 * after it goes on from it.
 */
const files = ['package.json', 'local/package.json', 'package-lock.json', 'CHANGELOG.md'];

export function stampRelease(
  root: string,
  wanted: string,
  day: string,
  env: NodeJS.ProcessEnv,
): void {
  const git = (...words: string[]): string => {
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio, env });
  };
  const version = parseVersion(wanted);
  if (version === null) throw new Stop(`"${wanted}" is no version; write it like 1.2.0.`);
  const changed = git('status', '--porcelain').trim();
  if (changed !== '') {
    throw new Stop(`There are changes that are not committed:\n${changed}\nCommit them first.`);
  }
  if (git('tag', '--list', `v${wanted}`).trim() !== '') {
    throw new Stop(`${wanted} is released: there is a tag v${wanted}.`);
  }
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const present = parseVersion(JSON.parse(read('package.json')).version);
  const isStamped = read('CHANGELOG.md').includes(`\n## ${wanted} (`);
  if (isStamped && present?.text === wanted) return;
  if (present === null || (present.text !== wanted && !isNewer(version, present))) {
    throw new Stop(`${wanted} is not newer than ${present?.text ?? 'the present version'}.`);
  }
  const texts = stamped(read, wanted, day);
  for (const [name, text] of texts) writeFileSync(join(root, name), text);
  git('add', '--', ...files);
  git('commit', '--quiet', '--message', `release: cut ${wanted}`);
}

function stamped(read: (name: string) => string, version: string, day: string) {
  try {
    return new Map([
      ['package.json', stampManifest(read('package.json'), version)],
      ['local/package.json', stampManifest(read('local/package.json'), version)],
      ['package-lock.json', stampLockFile(read('package-lock.json'), version)],
      ['CHANGELOG.md', cutChangelog(read('CHANGELOG.md'), version, day).text],
    ]);
  } catch (error) {
    throw new Stop(`${version} cannot be cut: ${messageOf(error)}.`);
  }
}
