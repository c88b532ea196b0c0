import { lookup } from 'node:dns/promises';
import { existsSync, readdirSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { clockSkewMsMax, connectTimeoutMs, diskFreeBytesMin } from '../limits.ts';
import { loadIdentity, renewalAtMs } from '../link/identity.ts';
import { causeOf, makePlaneApi, PlaneError } from '../link/plane-api.ts';
import type { AgentOptions } from './agent-options.ts';

/**
 * What may be wrong with an edge, in words and with what to do: permission and room of its
 * directory, name resolution, ports, the clock, its certificate and whether the plane still knows
 * it.
 */
export type Finding = {
  readonly check: string;
  readonly isOk: boolean;
  readonly words: string;
};

export async function examineAgent(options: AgentOptions): Promise<Finding[]> {
  const findings = [checkDirectory(options.dataDirectory), checkRoom(options.dataDirectory)];
  const api = new URL(options.api);
  const isNamed = await checkName(api.hostname);
  findings.push(isNamed);
  if (!isNamed.isOk) return findings;
  findings.push(await checkPort('api', api.hostname, Number(api.port) || portOf(api)));
  findings.push(await checkClock(options.api));
  for (const name of options.names.slice(0, edgesExaminedMax)) {
    findings.push(...(await checkIdentity(name, options)));
  }
  return findings;
}

/** A process may hold thousands of edges; the first few tell what is wrong with all. */
const edgesExaminedMax = 5;

function good(check: string, words: string): Finding {
  return { check, isOk: true, words };
}

function bad(check: string, words: string): Finding {
  return { check, isOk: false, words };
}

function checkDirectory(path: string): Finding {
  if (!existsSync(path)) return good('directory', `${path} will be made at the first start.`);
  const probe = join(path, `.doctor-${process.pid}`);
  try {
    readdirSync(path);
    writeFileSync(probe, '');
    unlinkSync(probe);
    return good('directory', `${path} can be read and written.`);
  } catch (error) {
    const { code } = error as { code?: string };
    const cause = code === 'EROFS' ? 'it is on a read-only disk' : `${code ?? 'error'}`;
    return bad(
      'directory',
      `${path} cannot be used: ${cause}. Give it to this user, or choose another --data.`,
    );
  }
}

function checkRoom(path: string): Finding {
  const existing = existsSync(path) ? path : '/';
  const { bavail, bsize } = statfsSync(existing);
  const freeMb = Math.floor((bavail * bsize) / 1024 / 1024);
  if (bavail * bsize >= diskFreeBytesMin) return good('disk', `${freeMb} MB are free.`);
  return bad('disk', `Only ${freeMb} MB are free: results could not be kept. Make room.`);
}

async function checkName(host: string): Promise<Finding> {
  try {
    const { address } = await lookup(host);
    return good('dns', `${host} is ${address}.`);
  } catch {
    return bad(
      'dns',
      `${host} has no address here. Check --api and the name servers of this host.`,
    );
  }
}

function portOf(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

function checkPort(check: string, host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectTimeoutMs });
    const done = (finding: Finding): void => {
      socket.destroy();
      resolve(finding);
    };
    const where = `${host} port ${port}`;
    const advice = 'Is a firewall between? --transport http needs only the port of the API.';
    socket.once('connect', () => done(good(check, `${where} can be reached.`)));
    socket.once('timeout', () => done(bad(check, `${where} does not answer. ${advice}`)));
    socket.once('error', (error) => {
      done(bad(check, `${where} cannot be reached (${causeOf(error)}). ${advice}`));
    });
  });
}

/** The date of an answer is the plane's clock; TLS and tokens need ours to be near it. */
async function checkClock(api: string): Promise<Finding> {
  try {
    const url = new URL('/v1/health', api);
    const response = await fetch(url, { signal: AbortSignal.timeout(connectTimeoutMs) });
    await response.arrayBuffer();
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isFinite(theirs)) return good('clock', 'The control plane does not say its time.');
    const skewMs = Date.now() - theirs;
    const seconds = Math.round(Math.abs(skewMs) / 1_000);
    if (Math.abs(skewMs) <= clockSkewMsMax) return good('clock', `It is right to ${seconds} s.`);
    const side = skewMs > 0 ? 'ahead' : 'behind';
    return bad('clock', `It is ${seconds} s ${side}. Set it, best by a time service.`);
  } catch (error) {
    return bad('clock', `It cannot be compared: the API does not answer (${causeOf(error)}).`);
  }
}

async function checkIdentity(name: string, options: AgentOptions): Promise<Finding[]> {
  const identity = loadIdentity(join(options.dataDirectory, 'edges', name));
  if (identity === null) {
    const how = options.enrolToken === null ? 'Start it once with --enrol-token.' : '';
    return [bad('identity', `${name} is not enrolled yet. ${how}`.trim())];
  }
  const findings: Finding[] = [];
  if (identity.certificate !== null) findings.push(checkCertificate(name, identity.certificate));
  if (options.transport === 'mqtt' && identity.mqttEndpoint !== null) {
    const [host = '', port = '8883'] = identity.mqttEndpoint.split(':');
    findings.push(await checkPort('mqtt', host, Number(port)));
  }
  try {
    await makePlaneApi(options.api).getWork(identity.secret, name);
    findings.push(good('credentials', `${name} is known and welcome.`));
  } catch (error) {
    const isRefused = error instanceof PlaneError && (error.isRefusal || error.status === 404);
    const words = isRefused
      ? `${name} is not accepted: it was removed or revoked. Enrol it anew with an empty --data.`
      : `${name} cannot be checked: ${causeOf(error)}`;
    findings.push(bad('credentials', words));
  }
  return findings;
}

function checkCertificate(name: string, pem: string): Finding {
  const atMs = renewalAtMs(pem);
  if (atMs === null) return bad('certificate', `The certificate of ${name} cannot be read.`);
  const date = new Date(atMs).toISOString().slice(0, 10);
  if (Date.now() < atMs)
    return good('certificate', `That of ${name} is good; renewal after ${date}.`);
  return bad(
    'certificate',
    `That of ${name} should have been renewed after ${date}. Is the agent running?`,
  );
}
