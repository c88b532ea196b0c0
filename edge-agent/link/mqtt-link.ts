import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import mqtt, { MqttClient } from 'mqtt';
import { isRecord } from '../../core/protocol/json.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import type { Clock } from '../host/clock.ts';
import { acceptedWaitMs, connectTimeoutMs, keepAliveSeconds } from '../limits.ts';
import { makeProgressPatch } from '../report/progress-patch.ts';
import { parseBrokerAddress } from './broker-address.ts';
import type { Identity } from './identity.ts';
import type { Link, LinkEvents, ReportAnswer } from './link.ts';
import { openTunnel, proxyFor } from './proxy.ts';
import { makeReconnectPauses, type ReconnectPauses } from './reconnect-pauses.ts';

/**
 * The link over MQTT 3.1.1 with mutual TLS: five subscriptions, clean sessions, and after every
 * connect first subscribe, then ask for the whole work. Deltas are hints that may be lost; the
 * question after a connect heals.
 */
export type MqttLinkOptions = {
  readonly identity: () => Identity;
  readonly clock: Clock;
  readonly events: LinkEvents;
  /** Limits how many edges of a process connect at once; resolves when it is this one's turn. */
  readonly turn: <T>(run: () => Promise<T>) => Promise<T>;
  /** The shadow may hold what an earlier life of this edge wrote. */
  readonly clearFirst: boolean;
  /**
   * The broker refuses this edge; answers `true` when the control plane confirms that it is
   * revoked.
   */
  readonly isRevoked: () => Promise<boolean>;
};

export function makeMqttLink(options: MqttLinkOptions): Link {
  return new MqttLink(options);
}

type Waiting = { readonly token: string; readonly settle: (answer: ReportAnswer) => void };

class MqttLink implements Link {
  readonly #options: MqttLinkOptions;
  readonly #topics: ReturnType<typeof topicsOf>;
  readonly #pauses: ReconnectPauses;
  readonly #patch = makeProgressPatch();
  #client: MqttClient | null = null;
  #ready = false;
  #stopped = false;
  #cancelRetry: () => void = () => {};
  #waiting: Waiting | null = null;
  #mustClear: boolean;
  #deltaSinceGet = false;
  #lastError = '';
  #failures = 0;

  constructor(options: MqttLinkOptions) {
    this.#options = options;
    this.#topics = topicsOf(options.identity().thing);
    this.#mustClear = options.clearFirst;
    this.#pauses = makeReconnectPauses(() => options.clock.monotonicMs(), Math.random);
  }

  start(): void {
    void this.#options.turn(() => this.#connect());
  }

  async report(document: ProgressReportJson): Promise<ReportAnswer> {
    const client = this.#client;
    if (client === null || !this.#ready || this.#waiting !== null) return 'unanswered';
    if (this.#mustClear) await this.#clear(client);
    if (!this.#isOpen(client)) return 'unanswered';
    const token = `${document.b}-${document.n}`;
    const body = { state: { reported: this.#patch.patch(document) }, clientToken: token };
    const answer = await new Promise<ReportAnswer>((resolve) => {
      const settle = (value: ReportAnswer): void => {
        cancel();
        this.#waiting = null;
        resolve(value);
      };
      const cancel = this.#options.clock.after(acceptedWaitMs, () => settle('unanswered'));
      this.#waiting = { token, settle };
      client.publish(this.#topics.progUpdate, JSON.stringify(body), { qos: 1 }, (error) => {
        if (error) settle('unanswered');
      });
    });
    if (answer === 'accepted') this.#patch.settle(document);
    return answer;
  }

  /** A client that has been closed does not refuse what is published, it breaks. */
  #isOpen(client: MqttClient): boolean {
    return this.#ready && this.#client === client;
  }

  publishFacts(facts: unknown): Promise<boolean> {
    const client = this.#client;
    if (client === null || !this.#ready) return Promise.resolve(false);
    const body = JSON.stringify({ state: { reported: facts } });
    return new Promise((resolve) => {
      client.publish(this.#topics.factsUpdate, body, { qos: 1 }, (error) => resolve(!error));
    });
  }

  giveWay(mustGiveWay: boolean): void {
    this.#pauses.giveWay(mustGiveWay);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRetry();
    this.#waiting?.settle('unanswered');
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(1_000, () => {
        client.stream?.destroy();
        resolve();
      });
      client.end(!client.connected, {}, () => {
        cancel();
        resolve();
      });
    });
  }

  /** Resolves when this attempt has come to an end, good or bad. */
  async #connect(): Promise<void> {
    if (this.#stopped) return;
    const connection = connectionOf(this.#options.identity());
    this.#lastError = '';
    let tunnel: Socket | null;
    try {
      tunnel = await tunnelOf(connection);
    } catch (error) {
      this.#lastError = wordsOf(error);
      return this.#closed();
    }
    if (this.#stopped) return void tunnel?.destroy();
    await new Promise<void>((resolve) => {
      const client = openClient(connection, tunnel);
      this.#client = client;
      client.on('error', (error) => {
        this.#lastError = wordsOf(error);
      });
      client.on('message', (topic, payload) => this.#message(topic, payload));
      client.on('connect', () => {
        this.#subscribe(client).finally(resolve);
      });
      client.once('close', () => {
        resolve();
        client.end(true);
        this.#closed();
      });
    });
  }

  async #subscribe(client: MqttClient): Promise<void> {
    try {
      await client.subscribeAsync(this.#topics.subscriptions, { qos: 0 });
    } catch (error) {
      const why = 'does the policy of its certificate allow iot:Subscribe to its shadows?';
      this.#lastError = `subscription refused: ${wordsOf(error)}; ${why}`;
      client.stream.destroy();
      return;
    }
    if (this.#client !== client) return;
    this.#deltaSinceGet = false;
    this.#ready = true;
    this.#failures = 0;
    this.#pauses.connected();
    client.publish(this.#topics.workGet, '', { qos: 1 });
    this.#options.events.connected();
  }

  #closed(): void {
    const wasReady = this.#ready;
    this.#ready = false;
    this.#client = null;
    this.#waiting?.settle('unanswered');
    if (this.#stopped) return;
    const reason = this.#lastError || 'connection closed';
    if (wasReady) this.#options.events.disconnected(reason);
    else {
      this.#failures += 1;
      this.#options.events.notConnected?.(reason);
    }
    // AWS IoT hangs up on an inactive certificate without a word, so every third failure is asked
    // about too.
    const isSuspect = looksRefused(reason) || this.#failures % failuresPerQuestion === 0;
    void this.#retry(!wasReady && isSuspect, reason);
  }

  async #retry(askControlPlane: boolean, reason: string): Promise<void> {
    if (askControlPlane && (await this.#options.isRevoked())) {
      if (!this.#stopped) this.#options.events.revoked(reason);
      return;
    }
    if (this.#stopped) return;
    this.#cancelRetry = this.#options.clock.after(this.#pauses.nextMs(), () => this.start());
  }

  #message(topic: string, payload: Buffer): void {
    const value = parse(payload);
    if (!isRecord(value)) return;
    switch (topic) {
      case this.#topics.workDelta:
        this.#deltaSinceGet = true;
        this.#options.events.work(value.state, false);
        return;
      case this.#topics.workAccepted: {
        const state = isRecord(value.state) ? value.state : {};
        this.#options.events.work(state.desired ?? { e: 0, w: {} }, !this.#deltaSinceGet);
        return;
      }
      case this.#topics.workRejected:
        if (value.code === 404 && !this.#deltaSinceGet) {
          this.#options.events.work({ e: 0, w: {} }, true);
        }
        return;
      case this.#topics.progAccepted:
        if (value.clientToken === this.#waiting?.token) this.#waiting?.settle('accepted');
        return;
      case this.#topics.progRejected:
        if (value.clientToken === this.#waiting?.token) this.#waiting?.settle('rejected');
        return;
    }
  }

  /**
   * Says nothing about work, so it cannot be taken for a report; it only makes the shadow small
   * again.
   */
  #clear(client: MqttClient): Promise<void> {
    return new Promise((resolve) => {
      const body = JSON.stringify({ state: { reported: { w: null } } });
      client.publish(this.#topics.progUpdate, body, { qos: 1 }, (error) => {
        if (!error) this.#mustClear = false;
        resolve();
      });
    });
  }
}

function topicsOf(thing: string) {
  const shadow = `$aws/things/${thing}/shadow/name`;
  const workDelta = `${shadow}/work/update/delta`;
  const workAccepted = `${shadow}/work/get/accepted`;
  const workRejected = `${shadow}/work/get/rejected`;
  const progAccepted = `${shadow}/prog/update/accepted`;
  const progRejected = `${shadow}/prog/update/rejected`;
  return {
    workDelta,
    workAccepted,
    workRejected,
    progAccepted,
    progRejected,
    workGet: `${shadow}/work/get`,
    progUpdate: `${shadow}/prog/update`,
    factsUpdate: `${shadow}/facts/update`,
    subscriptions: [workDelta, workAccepted, workRejected, progAccepted, progRejected],
  };
}

const failuresPerQuestion = 3;
const httpsPort = 443;

/** `null`: the broker is reached without a proxy. */
async function tunnelOf(connection: Connection): Promise<Socket | null> {
  const { protocol, host, port } = connection;
  const proxy = protocol === 'mqtts' ? proxyFor('https', { host, port }, process.env) : null;
  return proxy === null ? null : await openTunnel(proxy, { host, port }, connectTimeoutMs);
}

function openClient(connection: Connection, tunnel: Socket | null): MqttClient {
  if (tunnel === null) return mqtt.connect(connection);
  const { host, handshake } = connection;
  const named = isIP(host) === 0 ? { servername: host } : {};
  return new MqttClient((client) => {
    const options = { ...handshake, socket: tunnel, host, ...named };
    return connectTls(options).on('error', (error) => client.emit('error', error));
  }, connection);
}

type Connection = mqtt.IClientOptions & {
  readonly host: string;
  readonly port: number;
  readonly handshake: ConnectionOptions;
};

function connectionOf(identity: Identity): Connection {
  const address = parseBrokerAddress(identity.mqttEndpoint ?? '');
  // The one that no broker has: the connection fails, and the control plane's next answer may be
  // better.
  const { protocol, host, port } = address ?? { protocol: 'mqtts', host: '', port: 0 };
  const handshake = {
    key: identity.keyPem,
    ...(identity.certificate !== null && { cert: identity.certificate }),
    ...(identity.caCertificate !== null && { ca: identity.caCertificate }),
    // AWS IoT takes MQTT on the HTTPS port when the client names it during the handshake.
    ...(port === httpsPort && { ALPNProtocols: ['x-amzn-mqtt-ca'] }),
  };
  const options: Connection & { noDelay: boolean } = {
    protocol,
    host,
    port,
    clientId: identity.thing,
    ...handshake,
    handshake,
    protocolVersion: 4,
    clean: true,
    keepalive: keepAliveSeconds,
    connectTimeout: connectTimeoutMs,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    // Without it every acknowledged message waits some forty milliseconds for Nagle's algorithm.
    noDelay: true,
  };
  return options;
}

const refusalWords =
  /not authorized|refused: (?!connect)|bad username|identifier rejected|alert|certificate/i;

/**
 * The peer answered and did not want us: a refusal in MQTT or an alert in TLS, not a network that
 * is away.
 */
function looksRefused(reason: string): boolean {
  return refusalWords.test(reason);
}

function wordsOf(error: unknown): string {
  return error instanceof Error
    ? error.message || (error as { code?: string }).code || ''
    : String(error);
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return null;
  }
}
