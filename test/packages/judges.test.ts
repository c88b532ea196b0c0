import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/repository.mjs';

/** The packages, as programs read them that were not written here. */
const folder = process.env.EDGEWISE_PACKAGES!;
const files = readdirSync(folder);
const debs = files.filter((name) => name.endsWith('.deb'));
const rpms = files.filter((name) => name.endsWith('.rpm'));

function ask(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  expect(status, `${program} ${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

test('there is one of each kind, an archive, and what they are made of', () => {
  expect(debs).toHaveLength(2);
  expect(rpms).toHaveLength(2);
  expect(files.filter((name) => name.endsWith('.tar.gz'))).toHaveLength(1);
  expect(files).toContain('edgewise.cdx.json');
});

test('the checksums are those of the files', () => {
  expect(ask('sha256sum', '--check', 'SHA256SUMS').trim().split('\n')).toHaveLength(
    files.length - 1,
  );
});

describe.each(debs)('%s', (name) => {
  test('has the fields that Debian asks for', () => {
    const fields = ask('dpkg-deb', '--field', name);
    for (const field of ['Package', 'Version', 'Architecture: amd64', 'Maintainer', 'Depends']) {
      expect(fields).toContain(field);
    }
  });

  test('has files of root alone, and no path of the machine that built it', () => {
    const contents = ask('dpkg-deb', '--contents', name).trim().split('\n');
    for (const line of contents) expect(line).toContain('root/root');
    expect(contents.join('\n')).not.toContain(root);
  });

  // What Bun compiles is a program with its modules behind it: stripped, it would be Bun alone.
  const ofBun = ['unstripped-binary-or-object', 'embedded-library'];
  test('lintian finds no error in it', () => {
    const words = ['--allow-root', '--fail-on=error', `--suppress-tags=${ofBun.join(',')}`, name];
    const { status, stdout } = spawnSync('lintian', words, { cwd: folder, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.startsWith('E:'))).toEqual([]);
    expect(status).toBe(0);
  });
});

describe.each(rpms)('%s', (name) => {
  test('is whole, and asks for what Fedora has', () => {
    expect(ask('rpm', '--checksig', name)).toContain('digests OK');
    expect(ask('rpm', '--query', '--package', '--requires', name)).toContain('glibc');
  });

  test('brings the same files as the package for Debian', () => {
    const paths = ask('rpm', '--query', '--package', '--list', name).trim().split('\n');
    const deb = debs.find((one) => one.split('_')[0] === name.split('-0')[0]?.split('-1')[0])!;
    const ofDeb = ask('dpkg-deb', '--contents', deb)
      .trim()
      .split('\n')
      .map((line) => `/${line.split(' ./')[1]}`)
      .filter((path) => !path.endsWith('/'));
    expect(paths.sort()).toEqual(ofDeb.sort());
  });
});
