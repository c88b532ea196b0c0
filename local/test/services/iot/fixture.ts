/**
 * One running IoT service for a test: free ports, its own state directory, an HTTP door for the
 * two AWS SDK clients, and helpers to enrol and connect things as a deployment would.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import {
  AttachPolicyCommand,
  AttachThingPrincipalCommand,
  CreateCertificateFromCsrCommand,
  CreateThingCommand,
  IoTClient,
} from '@aws-sdk/client-iot';
import { IoTDataPlaneClient } from '@aws-sdk/client-iot-data-plane';
import * as x509 from '@peculiar/x509';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { type IotOptions, type IotService, startIot } from '../../../services/iot/service.ts';

export const accountId = '000000000000';
export const region = 'eu-central-1';

export type Received = { readonly topic: string; readonly payload: Buffer };

export type Credentials = {
  readonly thing: string;
  readonly certificateId: string;
  readonly certificateArn: string;
  readonly cert: string;
  readonly key: string;
};

export type Fixture = {
  readonly service: IotService;
  readonly stateDir: string;
  readonly control: IoTClient;
  readonly data: IoTDataPlaneClient;
  readonly httpUrl: string;
  readonly logs: string[];
  readonly sent: { queueUrl: string; body: string }[];
  readonly stored: { bucket: string; key: string; body: Buffer }[];
  readonly invoked: { functionArn: string; payload: unknown }[];
  enrol(thing: string, policies?: readonly string[]): Promise<Credentials>;
  /** `prepare` sees the client before it is connected. */
  connect(
    credentials: Credentials,
    options?: IClientOptions,
    prepare?: (client: MqttClient) => void,
  ): Promise<MqttClient>;
  operator(clientId?: string): Promise<MqttClient>;
  close(): Promise<void>;
};

type Wanted = Partial<IotOptions['resources']> & {
  readonly stateDir?: string;
  readonly deliver?: Partial<IotOptions['deliver']>;
  readonly timing?: IotOptions['timing'];
};

/** The policy of an edge, as the template writes it. */
export function edgePolicy(): unknown {
  const arn = (rest: string) => `arn:aws:iot:${region}:${accountId}:${rest}`;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a variable of the policy
  const name = '${iot:Connection.Thing.ThingName}';
  const shadow = `$aws/things/${name}/shadow/name`;
  const mine = ['work/*', 'prog/*'];
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 'iot:Connect',
        Resource: arn(`client/${name}`),
        Condition: { Bool: { 'iot:Connection.Thing.IsAttached': 'true' } },
      },
      {
        Effect: 'Allow',
        Action: 'iot:Publish',
        Resource: ['work/get', 'prog/get', 'prog/update', 'facts/update'].map((topic) =>
          arn(`topic/${shadow}/${topic}`),
        ),
      },
      {
        Effect: 'Allow',
        Action: 'iot:Subscribe',
        Resource: mine.map((topic) => arn(`topicfilter/${shadow}/${topic}`)),
      },
      {
        Effect: 'Allow',
        Action: 'iot:Receive',
        Resource: mine.map((topic) => arn(`topic/${shadow}/${topic}`)),
      },
    ],
  };
}

export const openPolicy = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: 'iot:*', Resource: '*' }],
};

export async function startFixture(wanted: Wanted = {}): Promise<Fixture> {
  const stateDir = wanted.stateDir ?? mkdtempSync(join(tmpdir(), 'iot-test-'));
  const seen: Seen = { logs: [], sent: [], stored: [], invoked: [] };
  const service = await startIot(optionsOf(wanted, stateDir, seen));
  const http = await serve(service);
  const { port } = http.address() as AddressInfo;
  const httpUrl = `http://127.0.0.1:${port}/`;
  const settings = {
    region,
    maxAttempts: 1,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const control = new IoTClient({ ...settings, endpoint: `${httpUrl}iot` });
  const data = new IoTDataPlaneClient({ ...settings, endpoint: `${httpUrl}iotdata` });
  const clients = new Set<MqttClient>();
  return {
    ...seen,
    service,
    stateDir,
    control,
    data,
    httpUrl,
    enrol: (thing, policies = ['open']) => enrol(control, thing, policies),
    connect: ({ thing, cert, key }, options = {}, prepare = () => undefined) =>
      connectWith(service, clients, { clientId: thing, cert, key, ...options }, prepare),
    operator: (clientId = 'operator') =>
      connectWith(service, clients, {
        clientId,
        cert: readFileSync(service.operator.certPath),
        key: readFileSync(service.operator.keyPath),
      }),
    async close() {
      await Promise.all([...clients].map((client) => client.endAsync(true)));
      control.destroy();
      data.destroy();
      http.closeAllConnections();
      http.close();
      await service.close();
      if (wanted.stateDir === undefined) rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

type Seen = Pick<Fixture, 'logs' | 'sent' | 'stored' | 'invoked'>;

function optionsOf(wanted: Wanted, stateDir: string, seen: Seen): IotOptions {
  return {
    stateDir,
    host: '127.0.0.1',
    mqttPort: 0,
    accountId,
    region,
    resources: {
      topicRules: wanted.topicRules ?? [],
      policies: wanted.policies ?? [
        { name: 'edge', document: edgePolicy() },
        { name: 'open', document: openPolicy },
      ],
    },
    deliver: {
      sqs: async (queueUrl, body) => void seen.sent.push({ queueUrl, body }),
      s3: async (bucket, key, body) =>
        void seen.stored.push({ bucket, key, body: Buffer.from(body) }),
      lambda: async (functionArn, payload) => void seen.invoked.push({ functionArn, payload }),
      ...wanted.deliver,
    },
    signedBy: () => 'Nobody can sign here.',
    timing: { deliveryBackoffMaxMs: 5, ...wanted.timing },
    log: (line) => void seen.logs.push(line),
  };
}

async function connectWith(
  service: IotService,
  clients: Set<MqttClient>,
  options: IClientOptions,
  prepare: (client: MqttClient) => void = () => undefined,
): Promise<MqttClient> {
  const client = mqtt.connect({
    host: '127.0.0.1',
    port: service.mqttPort,
    protocol: 'mqtts',
    protocolVersion: 4,
    ca: service.caPem,
    reconnectPeriod: 0,
    // Without it every acknowledgement takes some forty milliseconds.
    ...{ noDelay: true },
    ...options,
  });
  clients.add(client);
  prepare(client);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed before CONNACK')));
  });
  return client;
}

async function enrol(
  control: IoTClient,
  thing: string,
  policies: readonly string[],
): Promise<Credentials> {
  await control.send(new CreateThingCommand({ thingName: thing }));
  const { csr, key } = await signingRequest(thing);
  const made = await control.send(
    new CreateCertificateFromCsrCommand({ certificateSigningRequest: csr, setAsActive: true }),
  );
  const target = made.certificateArn!;
  for (const policyName of policies) {
    await control.send(new AttachPolicyCommand({ policyName, target }));
  }
  await control.send(new AttachThingPrincipalCommand({ thingName: thing, principal: target }));
  return {
    thing,
    certificateId: made.certificateId!,
    certificateArn: target,
    cert: made.certificatePem!,
    key,
  };
}

async function serve(service: IotService): Promise<Server> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const [, which = '', rest = ''] = /^\/(\w+)(.*)$/.exec(req.url ?? '') ?? [];
      req.url = rest === '' ? '/' : rest;
      const handle = which === 'iot' ? service.handleControl : service.handleData;
      void handle(req, res, Buffer.concat(chunks));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export async function signingRequest(commonName: string): Promise<{ csr: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${commonName}`,
    keys,
    signingAlgorithm: algorithm,
  });
  const exported = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    csr: request.toString('pem'),
    key: x509.PemConverter.encode(exported, 'PRIVATE KEY'),
  };
}

/** Collects messages of a client and waits, by event, for those that a test needs. */
export function inbox(client: MqttClient) {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  client.on('message', (topic, payload) => {
    received.push({ topic, payload });
    for (const check of waiting) check();
  });
  const when = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  return {
    received,
    /** The first message, from `from` on, whose topic ends like this. */
    next: (suffix: string, from = 0): Promise<Received> =>
      when(() => received.slice(from).find(({ topic }) => topic.endsWith(suffix))),
    count: (many: number): Promise<Received[]> =>
      when(() => (received.length >= many ? received : undefined)),
  };
}

export const json = (payload: Uint8Array): Record<string, unknown> =>
  JSON.parse(Buffer.from(payload).toString()) as Record<string, unknown>;
