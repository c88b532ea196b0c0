/** The service as a process, to be killed: prints its ports, appends what rules deliver. */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startIot } from '../../../services/iot/service.ts';

/** What the process prints when it is ready. */
export type Announcement = {
  readonly port: number;
  readonly mqttPort: number;
  readonly caPath: string;
  readonly operator: { readonly certPath: string; readonly keyPath: string };
};

const [stateDir = '', deliveredPath = ''] = process.argv.slice(2);

const service = await startIot({
  stateDir,
  host: '127.0.0.1',
  mqttPort: 0,
  accountId: '000000000000',
  region: 'eu-central-1',
  resources: {
    policies: [],
    topicRules: [
      {
        name: 'reports',
        sql: `SELECT state.reported.n AS n, topic(3) AS thing
          FROM '$aws/things/+/shadow/name/prog/update/accepted'`,
        sqlVersion: '2016-03-23',
        disabled: false,
        actions: [{ Sqs: { QueueUrl: 'http://queue' } }],
      },
    ],
  },
  deliver: {
    sqs: async (_queue, body) => appendFileSync(deliveredPath, `${body}\n`),
    s3: async () => undefined,
    lambda: async () => undefined,
  },
  signedBy: () => 'Nobody can sign here.',
  log: () => undefined,
});
const http = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => void service.handleData(req, res, Buffer.concat(chunks)));
});
http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  const { mqttPort, caPath, operator } = service;
  const announcement: Announcement = { port, mqttPort, caPath, operator };
  console.log(JSON.stringify(announcement));
});
