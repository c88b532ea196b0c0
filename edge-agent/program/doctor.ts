import { lookup } from 'node:dns/promises';
import { existsSync, readdirSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { clockSkewMsMax, connectTimeoutMs, diskFreeBytesMin, edgesExaminedMax } from '../limits.ts';
import { parseBrokerAddress } from '../link/broker-address.ts';
import { ControlPlaneError, causeOf, makeControlPlaneApi } from '../link/control-plane-api.ts';
import { loadIdentity, renewalAtMs } from '../link/identity.ts';
import { proxyFor } from '../link/proxy.ts';
import type { AgentOptions, Environment } from './agent-options.ts';

/**
 * What may be wrong with an edge, in words and with what to do: permission and room of its
 * directory, name resolution, ports, the clock, its certificate and whether the control plane still
 * knows it.
 */
export type Finding = {
  readonly check: string;
  readonly isOk: boolean;
  readonly words: string;
};

export async function examineAgent(
  options: AgentOptions,
  env: Environment = {},
): Promise<Finding[]> {
  const findings = [checkDirectory(options.dataDirectory), checkRoom(options.dataDirectory)];
  const api = new URL(options.api);
  const port = Number(api.port) || portOf(api);
  const scheme = api.protocol === 'https:' ? 'https' : 'http';
  const proxy = proxyFor(scheme, { host: api.hostname, port }, env);
  // What a proxy reaches may have no name here.
  const host = proxy?.host ?? api.hostname;
  const isNamed = await checkName(host);
  findings.push(isNamed);
  if (!isNamed.isOk) return findings;
  findings.push(await checkPort(proxy === null ? 'api' : 'proxy', host, proxy?.port ?? port));
  findings.push(await checkClock(options.api));
  for (const name of options.names.slice(0, edgesExaminedMax)) {
    findings.push(...(await checkIdentity(name, options)));
  }
  return findings;
}

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

/** The date of an answer is the control plane's clock; TLS and tokens need ours to be near it. */
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
    const how = options.enrolToken === null ? 'Start it once with --enrol-token-file.' : '';
    return [bad('identity', `${name} is not enrolled yet. ${how}`.trim())];
  }
  const findings: Finding[] = [];
  if (options.pool !== null && identity.pool !== null && identity.pool !== options.pool) {
    const words =
      `${name} enrolled in pool ${identity.pool}, not ${options.pool}, and no start moves it: ` +
      `edgewise edge set ${name} --pool ${options.pool}`;
    findings.push(bad('pool', words));
  }
  if (identity.certificate !== null) findings.push(checkCertificate(name, identity.certificate));
  const endpoint = options.mqttEndpoint ?? identity.mqttEndpoint;
  if (options.transport === 'mqtt' && endpoint !== null) {
    const address = parseBrokerAddress(endpoint);
    findings.push(
      address === null
        ? bad('mqtt', `"${endpoint}" is no address of a broker. Enrol anew, or --mqtt-endpoint.`)
        : await checkPort('mqtt', address.host, address.port),
    );
  }
  try {
    await makeControlPlaneApi(options.api).getWork(identity.secret, name);
    findings.push(good('credentials', `${name} is known and welcome.`));
  } catch (error) {
    const isRefused =
      error instanceof ControlPlaneError && (error.isRefusal || error.status === 404);
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
