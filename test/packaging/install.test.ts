import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/**
 * The installer with a stand-in for the agent's binary: what it checks, where it puts it, what it
 * leaves alone.
 */
const script = join(import.meta.dirname, '../../packaging/install.sh');
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const name = `edgewise-agent-linux-${arch}`;
const agent = '#!/bin/sh\necho "edgewise-agent 9.9.9"\n';

let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'edgewise-install-'));
  mkdirSync(join(place, 'from'));
  offer(agent);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function offer(content: string, checked = content): void {
  writeFileSync(join(place, 'from', name), content);
  const sum = createHash('sha256').update(checked).digest('hex');
  writeFileSync(join(place, 'from', 'SHA256SUMS'), `${sum}  ${name}\n`);
}

function install(...words: string[]) {
  const prefix = join(place, 'prefix');
  const args = [script, join(place, 'from'), '--no-service', '--prefix', prefix, ...words];
  const { status, stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8' });
  return { status, stdout, stderr, file: join(prefix, 'bin', 'edgewise-agent') };
}

describe.skipIf(process.platform !== 'linux')('install.sh', () => {
  test('installs what has the right checksum and runs', () => {
    const { status, stdout, file } = install();
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `installed edgewise-agent 9.9.9 in ${join(place, 'prefix', 'bin')}\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe(agent);
  });

  test('installs nothing when the checksum is another', () => {
    offer(agent, 'something else');
    const { status, stderr, file } = install();
    expect(status).toBe(1);
    expect(stderr).toContain('nothing was installed');
    expect(existsSync(file)).toBe(false);
  });

  test('leaves the agent that is there when the new one does not run', () => {
    const { file } = install();
    offer('#!/bin/sh\nexit 1\n');
    const second = install();
    expect(second.status).toBe(1);
    expect(second.stderr).toContain('does not run here');
    expect(readFileSync(file, 'utf8')).toBe(agent);
  });

  test('says what is missing', () => {
    rmSync(join(place, 'from', name));
    expect(install().stderr).toContain(`cannot get ${name}`);
    expect(install('--nonsense').stderr).toContain('unknown option --nonsense');
  });

  test('the unit it writes can start an agent that lies elsewhere', () => {
    const text = readFileSync(script, 'utf8');
    const unit = readFileSync(join(script, '..', 'edgewise-agent.service'), 'utf8');
    const command = /^sed .*ExecStart.*$/m.exec(text)?.[0].replace(/ > .*$/, '') ?? 'false';
    const shell = `prefix=/opt/edge unit="$1"; ${command}`;
    const args = ['-c', shell, 'sh', join(script, '..', 'edgewise-agent.service')];
    const { stdout } = spawnSync('sh', args, { encoding: 'utf8' });
    const expected = unit.replace(/^ExecStart=.*$/m, 'ExecStart=/opt/edge/bin/edgewise-agent');
    expect(stdout).toBe(expected);
  });
});
