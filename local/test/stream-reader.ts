/** Reads the stream of the notes table with the official SDK, shard by shard. */
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { clientSettings } from './notes-clients.ts';
import type { NotesCloud } from './notes-cloud.ts';

export type ReadShard = {
  readonly id: string;
  readonly isOpen: boolean;
  /** Partition keys of its records, in their order. */
  readonly keys: readonly string[];
};

export async function shardsOf(cloud: NotesCloud): Promise<ReadShard[]> {
  const streams = new DynamoDBStreamsClient(clientSettings(cloud));
  const StreamArn = cloud.output('StreamArn');
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const shards = [];
  for (const { ShardId = '', SequenceNumberRange } of StreamDescription?.Shards ?? []) {
    const isOpen = SequenceNumberRange?.EndingSequenceNumber === undefined;
    shards.push({ id: ShardId, isOpen, keys: await keysOf(streams, StreamArn, ShardId) });
  }
  streams.destroy();
  return shards;
}

const readsMax = 8;

/** Small reads, each with the iterator that the one before gave. */
async function keysOf(
  streams: DynamoDBStreamsClient,
  StreamArn: string,
  ShardId: string,
): Promise<string[]> {
  const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
  let { ShardIterator } = await streams.send(new GetShardIteratorCommand(start));
  const keys: string[] = [];
  for (let read = 0; read < readsMax; read += 1) {
    const page = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 5 }));
    for (const { dynamodb } of page.Records ?? []) keys.push(dynamodb?.Keys?.['PK']?.S ?? '');
    ShardIterator = page.NextShardIterator;
  }
  return keys;
}
