/**
 * MiniStack (PyPI, pinned): an emulator of AWS that nobody here wrote, on ports and in a directory
 * of its own. It ends with the process that started it.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Stop, toolEnvironment } from '../repository.mjs';

/** @import { ChildProcess } from 'node:child_process' */

const readyMsMax = 30_000;
const stopMsMax = 10_000;
const region = 'eu-west-1';

/** It brings no trust of its own to its programs, and takes none. */
const withoutTrust = {
  NODE_EXTRA_CA_CERTS: undefined,
  SSL_CERT_FILE: undefined,
  REQUESTS_CA_BUNDLE: undefined,
  AWS_CA_BUNDLE: undefined,
};

/** @typedef {Awaited<ReturnType<typeof startMiniStack>>} MiniStack */

/**
 * With `enforces` it asks the policies of the template about every call, and speaks TLS only,
 * because those policies refuse what comes without.
 *
 * @param {string} programs The folder that `ensurePythonTool` answers.
 * @param {{ enforces?: boolean }} how
 */
export async function startMiniStack(programs, { enforces = false } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'edgewise-ministack-'));
  const [port, mqttPort] = [await freePort(), await freePort()];
  const url = `${enforces ? 'https' : 'http'}://127.0.0.1:${port}`;
  // It makes its certificate there, and unpacks functions.
  const trust = { NODE_EXTRA_CA_CERTS: join(home, 'ministack-tls', 'server.crt') };
  const settings = enforces ? { AUTH: 'true', USE_SSL: '1', ...trust } : {};
  const log = createWriteStream(join(home, 'log'));
  const child = spawn(join(programs, 'ministack'), [], {
    cwd: home,
    env: toolEnvironment({
      ...withoutTrust,
      GATEWAY_PORT: String(port),
      IOT_MTLS_PORT: String(mqttPort),
      MINISTACK_REGION: region,
      SFTP_ENABLED: '0',
      STATE_DIR: join(home, 'state'),
      S3_DATA_DIR: join(home, 's3'),
      TMPDIR: home,
      ...settings,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise((resolve) => child.once('close', resolve));
  await untilReady(`${url}/_ministack/ready`, child, join(home, 'log'));
  const authority = await textAt(`${url}/_ministack/iot/ca.pem`);
  const file = join(home, 'emulator.json');
  writeFileSync(file, JSON.stringify({ url, mqtt: `127.0.0.1:${mqttPort}`, authority, home }));
  return {
    file,
    log: join(home, 'log'),
    /** For whatever asks AWS. */
    env: {
      ...withoutTrust,
      ...(enforces ? trust : {}),
      AWS_ENDPOINT_URL: url,
      AWS_ENDPOINT_URL_S3: url,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_SESSION_TOKEN: undefined,
      AWS_PROFILE: undefined,
      AWS_REGION: region,
      AWS_DEFAULT_REGION: region,
    },
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(stopMsMax, undefined, { ref: false })]);
      kill();
      process.off('exit', kill);
      rmSync(home, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/**
 * @param {string} url
 * @param {ChildProcess} child
 * @param {string} log
 */
async function untilReady(url, child, log) {
  for (let waitedMs = 0; waitedMs < readyMsMax; waitedMs += 100) {
    if ((await textAt(url).catch(() => null)) !== null) return;
    if (child.exitCode !== null) throw new Stop(`MiniStack has ended by itself; see ${log}.`);
    await delay(100);
  }
  throw new Stop(`MiniStack was not ready after ${readyMsMax / 1_000} s; see ${log}.`);
}

/**
 * From this machine, whose certificate nobody knows yet; what is not 200 is an error.
 *
 * @param {string} url
 * @returns {Promise<string>}
 */
function textAt(url) {
  const get = url.startsWith('https:') ? httpsGet : httpGet;
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}`)),
      );
    }).once('error', reject);
  });
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
