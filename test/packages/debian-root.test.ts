import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeProduct, type Product } from '../flow/product.ts';
import { askApi, follow, root } from '../flow/start/stage.ts';

/**
 * The packages on a small Debian on its first day: installed, replaced while the agent works,
 * removed and purged. There is no systemd in it, so the agent is started as its unit would.
 */
const packages = process.env.EDGEWISE_PACKAGES!;
const debian = process.env.EDGEWISE_DEBIAN_ROOT!;
const { version }: { version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const next = `${version}+next`;

let product: Product;
let place: string;
let agent: ChildProcess | null = null;
const inside = (path: string): string => join(place, path);

beforeAll(async () => {
  product = await makeProduct();
  place = join(product.place.directory, 'debian');
  tool('cp', '--archive', '--reflink=auto', debian, place);
  for (const name of readdirSync(packages)) {
    if (name.endsWith('.deb')) tool('cp', join(packages, name), place);
  }
  makeNext();
  await product.startCloud();
});

afterAll(async () => {
  agent?.kill('SIGKILL');
  await product.remove();
});

function tool(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  expect(status, `${program} ${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

/** The package of the agent once more, as a newer version. */
function makeNext(): void {
  const folder = join(product.place.directory, 'next');
  tool('dpkg-deb', '--raw-extract', inside(`edgewise-agent_${version}_amd64.deb`), folder);
  const control = join(folder, 'DEBIAN', 'control');
  const text = readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${next}`);
  writeFileSync(control, text);
  const file = inside(`edgewise-agent_${next}_amd64.deb`);
  tool('dpkg-deb', '--root-owner-group', '-Znone', '--build', folder, file);
}

/** The words that run a command inside, which ends with whoever started it. */
function entering(user: string, words: readonly string[]): string[] {
  const mount = `mount -t proc proc "$0/proc" && exec chroot --userspec=${user} "$0" "$@"`;
  const apart = ['--mount', '--pid', '--fork', '--kill-child=KILL'];
  return [...apart, 'sh', '-c', mount, place, '/usr/bin/env', '--ignore-environment', ...words];
}

/** What a command inside says; fails with what it said when it fails. */
function run(...words: string[]): string {
  const environment = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive'];
  return tool('unshare', ...entering('root:root', [...environment, ...words]));
}

/** As the unit starts it: as its user, with what the environment file says, and its token. */
async function startAgent(): Promise<void> {
  const settings = readFileSync(inside('etc/edgewise/agent.env'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const settled = [...settings, 'EDGEWISE_DATA=/var/lib/edgewise', 'PATH=/usr/bin:/bin'];
  const token = 'EDGEWISE_ENROL_TOKEN_FILE=/etc/edgewise/enrol-token';
  const words = entering('edgewise:edgewise', [...settled, token, '/usr/bin/edgewise-agent']);
  const started = spawn('unshare', words);
  agent = started;
  const { text } = follow(started);
  await product.untilConnected(1).catch((error: Error) => {
    throw new Error(`${error.message}; it said:\n${text()}`);
  });
}

/** As `systemctl` stops it. */
async function stopAgent(): Promise<void> {
  const pid = tool('pgrep', '--parent', String(agent!.pid)).trim();
  const ended = new Promise((resolve) => agent!.once('exit', resolve));
  process.kill(Number(pid), 'SIGTERM');
  await ended;
  agent = null;
}

describe('packages on a Debian root', () => {
  test('are installed with their users, their unit and a place for secrets', () => {
    run(
      'dpkg',
      '--install',
      `/edgewise_${version}_amd64.deb`,
      `/edgewise-agent_${version}_amd64.deb`,
    );
    expect(run('edgewise', 'version')).toContain(version);
    expect(run('edgewise-agent', '--version')).toContain(version);
    expect(run('id', 'edgewise-chunk')).toContain('edgewise-chunk');
    const owner = Number(run('id', '--user', 'edgewise'));
    expect(statSync(inside('etc/edgewise/enrol-token'))).toMatchObject({ uid: owner, size: 0 });
    expect(statSync(inside('etc/edgewise/enrol-token')).mode & 0o777).toBe(0o600);
    expect(statSync(inside('etc/edgewise/agent.env')).mode & 0o777).toBe(0o600);
    const unit = readFileSync(inside('usr/lib/systemd/system/edgewise-agent.service'), 'utf8');
    expect(unit).toContain('ExecStart=/usr/bin/edgewise-agent\n');
    expect(existsSync(inside('usr/share/bash-completion/completions/edgewise'))).toBe(true);
  });

  test('are replaced while a job runs, and no chunk that had ended runs again', async () => {
    const { api, token } = product.place.endpoints()!;
    const settings = `EDGE_NAME=boxed\nEDGEWISE_API=${api}\nEDGE_POWER=200\n`;
    writeFileSync(inside('etc/edgewise/agent.env'), settings);
    writeFileSync(inside('etc/edgewise/enrol-token'), token!);
    mkdirSync(inside('var/lib/edgewise'), { mode: 0o700 });
    run('chown', 'edgewise:', '/var/lib/edgewise');
    await startAgent();
    const script = 'sleep 0.5; echo $EDGEWISE_CHUNK >> /var/lib/edgewise/runs';
    const { id } = await product.submit({
      chunks: 12,
      chunkPower: 100,
      run: { process: { argv: ['/bin/sh', '-c', script] } },
    });
    await product.jobWhen(id, 'half way', ({ status }) => status.chunks.done >= 4);
    run('dpkg', '--install', `/edgewise-agent_${next}_amd64.deb`);
    await stopAgent();
    const ended = runs();
    writeFileSync(inside('etc/edgewise/enrol-token'), '');
    await startAgent();
    const { status } = await product.done(id);
    expect(status.chunks).toMatchObject({ total: 12, done: 12, dead: 0 });
    for (const chunk of ended) expect(runs().filter((one) => one === chunk)).toEqual([chunk]);
    expect(readFileSync(inside('etc/edgewise/agent.env'), 'utf8')).toBe(settings);
    expect(run('dpkg-query', '--show', 'edgewise-agent')).toContain(next);
    const edge = await askApi<{ totals: object }>(product.place, '/v1/edges/boxed');
    expect(edge.totals).toMatchObject({ chunksDone: 12 });
    await stopAgent();
  });

  test('go back to the version before', () => {
    run('dpkg', '--install', `/edgewise-agent_${version}_amd64.deb`);
    expect(run('dpkg-query', '--show', 'edgewise-agent').trim().endsWith(version)).toBe(true);
  });

  test('leave the identity when they are removed, and nothing when they are purged', () => {
    run('dpkg', '--remove', 'edgewise-agent', 'edgewise');
    expect(existsSync(inside('usr/bin/edgewise-agent'))).toBe(false);
    expect(readdirSync(inside('var/lib/edgewise')).length).toBeGreaterThan(0);
    expect(existsSync(inside('etc/edgewise/agent.env'))).toBe(true);
    run('dpkg', '--purge', 'edgewise-agent', 'edgewise');
    for (const path of ['var/lib/edgewise', 'var/cache/edgewise', 'etc/edgewise']) {
      expect(existsSync(inside(path)), path).toBe(false);
    }
  });
});

function runs(): string[] {
  const path = inside('var/lib/edgewise/runs');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}
