import { webcrypto } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
// The X.509 library looks its parts up by reflection and wants this before it is loaded.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { Client } from 'aedes';
import { Aedes, type AedesPublishPacket } from 'aedes';

/**
 * A broker with mutual TLS and as much of the shadow service as an agent sees: get, update,
 * delta, accepted. Desired and reported merge by whole values here; an agent must not depend on
 * more.
 */
export type ShadowDouble = {
  readonly endpoint: string;
  readonly caCertificate: string;
  readonly port: number;
  sign(csrPem: string, lifeMs?: number): Promise<string>;
  keyOf(csrPem: string): string;
  desire(edge: string, shadow: string, state: Record<string, unknown>): void;
  disconnect(edge: string): void;
  connectedCount(): number;
  readonly updates: string[];
  stop(): Promise<void>;
};

export type ShadowDoubleHooks = {
  readonly reported: (edge: string, shadow: string, state: unknown) => void;
  readonly admits: (edge: string) => boolean;
  /** Who publishes what it may not is hung up on, without an acknowledgement, as AWS IoT does. */
  readonly mayPublish?: (edge: string, text: string) => boolean;
};

x509.cryptoProvider.set(webcrypto as never);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 3_600_000;

export async function startShadowDouble(hooks: ShadowDoubleHooks): Promise<ShadowDouble> {
  const authority = await makeAuthority();
  const broker = await Aedes.createBroker();
  const documents = new Map<string, Record<string, unknown>>();
  const clients = new Map<string, Client>();
  const updates: string[] = [];

  const send = (topic: string, value: unknown): void => {
    const packet = { cmd: 'publish', topic, qos: 0, retain: false, dup: false } as const;
    broker.publish({ ...packet, payload: Buffer.from(JSON.stringify(value)) } as never, () => {});
  };

  broker.authenticate = (client, _user, _password, done) => {
    const socket = client.conn as unknown as TLSSocket;
    const name = socket.getPeerCertificate().subject?.CN;
    const isAdmitted = name === client.id && hooks.admits(client.id);
    if (isAdmitted) done(null, true);
    else done(Object.assign(new Error('not authorized'), { returnCode: 5 }) as never, false);
  };
  broker.authorizePublish = (client, packet, done) => {
    const may = client === null || hooks.mayPublish?.(client.id, packet.payload.toString());
    done(may === false ? new Error('not authorized') : null);
  };
  broker.on('client', (client) => clients.set(client.id, client));
  broker.on('clientDisconnect', (client) => clients.delete(client.id));
  broker.on('publish', (packet: AedesPublishPacket, client: Client | null) => {
    const [, , edge, , , shadow, verb, more] = packet.topic.split('/');
    if (client === null || edge === undefined || shadow === undefined || more !== undefined) return;
    const base = `$aws/things/${edge}/shadow/name/${shadow}`;
    if (verb === 'get') {
      const desired = documents.get(`${edge}/${shadow}`);
      if (desired === undefined) send(`${base}/get/rejected`, { code: 404, message: 'No shadow' });
      else send(`${base}/get/accepted`, { state: { desired, delta: desired }, version: 1 });
    }
    if (verb === 'update') {
      const text = packet.payload.toString();
      updates.push(text);
      const body = JSON.parse(text) as { state: { reported: unknown }; clientToken?: string };
      send(`${base}/update/accepted`, { state: body.state, clientToken: body.clientToken });
      hooks.reported(edge, shadow, body.state.reported);
    }
  });

  const server = createServer(
    { ...authority.server, requestCert: true, rejectUnauthorized: true, noDelay: true },
    (socket) => broker.handle(socket as never),
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `127.0.0.1:${port}`,
    port,
    caCertificate: authority.server.ca,
    sign: authority.sign,
    keyOf: (csrPem) => new x509.Pkcs10CertificateRequest(csrPem).publicKey.toString('base64'),
    updates,
    desire(edge, shadow, state) {
      const key = `${edge}/${shadow}`;
      const before = (documents.get(key)?.w ?? {}) as Record<string, unknown>;
      const w = Object.fromEntries(
        Object.entries({ ...before, ...(state.w as object) }).filter(([, value]) => value !== null),
      );
      const next = { ...state, w };
      documents.set(key, next);
      send(`$aws/things/${edge}/shadow/name/${shadow}/update/delta`, { state: next, version: 1 });
    },
    disconnect(edge) {
      clients.get(edge)?.close();
    },
    connectedCount: () => clients.size,
    async stop() {
      await new Promise<void>((resolve) => broker.close(() => resolve()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function makeAuthority() {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const dates = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + dayMs),
  };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Test authority',
    keys: keys as never,
    signingAlgorithm: algorithm,
    ...dates,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const serverKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=127.0.0.1',
    issuer: ca.subject,
    publicKey: serverKeys.publicKey as never,
    signingKey: keys.privateKey as never,
    signingAlgorithm: algorithm,
    ...dates,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        // Where only a proxy knows that it is here.
        { type: 'dns', value: 'broker.test' },
      ]),
    ],
  });
  const keyDer = await webcrypto.subtle.exportKey('pkcs8', serverKeys.privateKey);
  const keyPem = x509.PemConverter.encode(keyDer, 'PRIVATE KEY');
  let serial = 2;
  return {
    server: { ca: ca.toString('pem'), cert: certificate.toString('pem'), key: keyPem },
    async sign(csrPem: string, lifeMs = dayMs): Promise<string> {
      const request = new x509.Pkcs10CertificateRequest(csrPem);
      serial += 1;
      const signed = await x509.X509CertificateGenerator.create({
        serialNumber: serial.toString(16).padStart(4, '0'),
        subject: request.subject,
        issuer: ca.subject,
        publicKey: request.publicKey,
        signingKey: keys.privateKey as never,
        signingAlgorithm: algorithm,
        notBefore: new Date(Date.now() - 60_000),
        notAfter: new Date(Date.now() + lifeMs),
      });
      return signed.toString('pem');
    },
  };
}
