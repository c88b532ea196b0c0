import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListThingPrincipalsCommand } from '@aws-sdk/client-iot';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { createControlPlane } from '../../adapters/iot/control-plane.ts';
import { createEdgeShadows } from '../../adapters/iot/edge-shadows.ts';
import { createWorkShadows } from '../../adapters/iot/work-shadows.ts';
import { createFiles, createResultFiles } from '../../adapters/s3/files.ts';
import { createGraphDocuments } from '../../adapters/s3/graph-documents.ts';
import { createOutputs } from '../../adapters/s3/outputs.ts';
import { createAdminToken } from '../../adapters/secrets/admin-token.ts';
import { createEdgeRemovals } from '../../adapters/sqs/edge-removals.ts';
import { createPassTimers } from '../../adapters/sqs/pass-timers.ts';
import { readHead, withBody } from '../../local/engine/gateway/request.ts';
import type { GatewayService } from '../../local/engine/gateway/service.ts';
import { openStore } from '../../local/engine/state-store.ts';
import { keyRing } from '../../local/services/iam/identity.ts';
import { roleBook } from '../../local/services/iam/roles.ts';
import {
  openQueuesAndBuckets,
  type QueuesAndBuckets,
} from '../../local/services/queues-and-buckets.ts';
import { secretsmanagerService } from '../../local/services/secrets/gateway.ts';
import { secretStore } from '../../local/services/secrets/store.ts';
import { type Fixture, startFixture } from '../../local/test/services/iot/fixture.ts';
import { queueClient, type Sdk, secretClient, shadowClient } from './sdk.ts';
import type { Queue, Services } from './services.ts';
import { serveSignedBuckets } from './signed-buckets.ts';

/** The adapters of queues, buckets, shadows and things, on the parts of the local cloud. */
export type LocalServices = Services & { close(): Promise<void> };

const region = 'eu-central-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const bucket = 'outputs';

export async function startLocalServices(sdk: Sdk): Promise<LocalServices> {
  const stateDir = mkdtempSync(join(tmpdir(), 'services-'));
  const iot = await startFixture({ stateDir });
  const standIn = await openQueuesAndBuckets(stateDir, region);
  const store = openStore(join(stateDir, 'secrets'));
  const keys = keyRing(store);
  const secrets = secretStore({ region, stack: 'Contract' }, store);
  const SecretId = secrets.ensure('admin-token', { value: 'unread', generate: undefined });
  const server = await serve(standIn, secretsmanagerService(roleBook(stateDir, keys), secrets));
  const { port } = server.address() as AddressInfo;
  const bucketServer = await serveSignedBuckets(standIn, stateDir);
  const config = { endpoint: `http://127.0.0.1:${port}`, region, credentials };
  const admin = new SQSClient(config);
  // Through the gateway, which looks at sums and knows uploads in parts.
  const s3 = new S3Client({
    ...{ region, credentials: bucketServer.credentials, forcePathStyle: true },
    endpoint: bucketServer.endpoint.url.href,
  });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const [timerUrl, removalUrl] = [
    await createQueue(admin, 'timers'),
    await createQueue(admin, 'removals'),
  ];
  const client = queueClient(sdk, config);
  const { accessKeyId, secretAccessKey } = keys.root;
  const asRoot = { ...config, credentials: { accessKeyId, secretAccessKey } };
  const [tokens, owner] = [secretClient(sdk, asRoot), new SecretsManagerClient(asRoot)];
  const signing = { credentials: bucketServer.credentials, endpoint: bucketServer.endpoint };
  const data = shadowClient(sdk, { ...config, endpoint: `${iot.httpUrl}iotdata` });
  const workShadows = createWorkShadows(data);
  return {
    work: workShadows,
    liveShadows: workShadows,
    shadows: createEdgeShadows(data),
    outputs: createOutputs(bucket, s3),
    graphs: createGraphDocuments(bucket, s3, signing),
    files: createFiles({ bucket, s3, ...signing }),
    results: createResultFiles({ bucket, s3, ...signing }),
    putFile: async ({ url, headers }, bytes) =>
      (await fetch(url, { method: 'PUT', headers: { ...headers }, body: Buffer.from(bytes) }))
        .status,
    getFile: async (url) => {
      const answer = await fetch(url);
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
    },
    controlPlane: createControlPlane(controlPlaneOptions, {
      iot: iot.control,
      dataAt: () => iot.data,
    }),
    timers: createPassTimers({ queueUrl: timerUrl, clock: { nowMs: Date.now }, client }),
    removals: createEdgeRemovals(removalUrl, client),
    adminToken: createAdminToken(SecretId, tokens),
    async rotateAdminToken(SecretString) {
      await owner.send(new PutSecretValueCommand({ SecretId, SecretString }));
    },
    certificatesOf: (edge) => certificatesOf(iot, edge),
    timerQueue: queueAt(admin, timerUrl),
    removalQueue: queueAt(admin, removalUrl),
    async close() {
      for (const it of [client, data, admin, s3, tokens, owner]) it.destroy();
      server.closeAllConnections();
      server.close();
      bucketServer.close();
      await standIn.close();
      await iot.close();
      store.close();
      rmSync(stateDir, { recursive: true });
    },
  };
}

const controlPlaneOptions = {
  policyName: 'edge',
  certificatesArn: `arn:aws:iot:${region}:000000000000:cert/`,
};

async function certificatesOf({ control }: Fixture, thingName: string): Promise<string[]> {
  try {
    const { principals } = await control.send(new ListThingPrincipalsCommand({ thingName }));
    return (principals ?? []).map((arn) => arn.slice(controlPlaneOptions.certificatesArn.length));
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return [];
    throw error;
  }
}

async function createQueue(admin: SQSClient, QueueName: string): Promise<string> {
  const { QueueUrl } = await admin.send(new CreateQueueCommand({ QueueName }));
  return QueueUrl!;
}

function queueAt(admin: SQSClient, QueueUrl: string): Queue {
  return {
    async receive() {
      const bodies: string[] = [];
      for (;;) {
        const MaxNumberOfMessages = 10;
        const { Messages = [] } = await admin.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages, WaitTimeSeconds: 0 }),
        );
        if (Messages.length === 0) return bodies;
        for (const { Body, ReceiptHandle } of Messages) {
          bodies.push(Body!);
          await admin.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
    },
    async waiting() {
      const name = 'ApproximateNumberOfMessagesDelayed';
      const { Attributes } = await admin.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
      );
      return Number(Attributes?.[name]);
    },
  };
}

async function serve(standIn: QueuesAndBuckets, secrets: GatewayService): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (String(request.headers['x-amz-target']).startsWith('secretsmanager.')) {
      return secrets.handle((await withBody(readHead(request)))!, response);
    }
    const { method = 'GET', url = '/', headers } = request;
    const answer = await standIn.handle({ method, url, headers, body: await bodyOf(request) });
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
