/** The official SDK's clients, pointed at a local cloud with its own key. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { NotesCloud } from './notes-cloud.ts';

export type NotesClients = {
  readonly database: DynamoDBClient;
  readonly queues: SQSClient;
  readonly buckets: S3Client;
  readonly functions: LambdaClient;
  /** Invokes the probe; the answer, or the error document. */
  probe(event: Record<string, unknown>): Promise<{ error: string | undefined; answer: unknown }>;
  close(): void;
};

export function clientSettings({ endpoints }: NotesCloud) {
  const { aws: endpoint, region, credentials } = endpoints;
  return { endpoint, region, credentials };
}

export function notesClients(cloud: NotesCloud): NotesClients {
  const settings = clientSettings(cloud);
  const database = new DynamoDBClient(settings);
  const queues = new SQSClient(settings);
  const buckets = new S3Client(settings);
  const functions = new LambdaClient({ ...settings, maxAttempts: 1 });
  return {
    database,
    queues,
    buckets,
    functions,
    probe: async (event) => {
      const Payload = Buffer.from(JSON.stringify(event));
      const invoke = new InvokeCommand({ FunctionName: cloud.output('Probe'), Payload });
      const answer = await functions.send(invoke);
      const text = Buffer.from(answer.Payload ?? []).toString();
      return { error: answer.FunctionError, answer: JSON.parse(text) };
    },
    close: () => {
      for (const client of [database, queues, buckets, functions]) client.destroy();
    },
  };
}
