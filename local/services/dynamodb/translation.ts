/**
 * Between what the world sees of the database and what the engine has: ARNs with the account's
 * region, tables as the template describes them, and streams in as many shards as were asked for.
 */
import { type Account, accountId } from '../../account.ts';
import type { Json, JsonObject } from '../../assembly/assembly.ts';
import type { Table } from '../../world.ts';
import type { EngineAnswer } from './engine-proxy.ts';
import {
  dividedShardOf,
  dividedShards,
  isInPart,
  markedIterator,
  partId,
  readIterator,
} from './stream-shards.ts';

/** The request as the engine understands it. */
export function engineInput(
  body: Buffer,
  operation: string,
  input: JsonObject,
  engineRegion: string,
): string | Buffer {
  const { StreamArn, ShardId, ShardIterator, ExclusiveStartShardId } = input;
  switch (operation) {
    case 'GetRecords': {
      const marked = readIterator(String(ShardIterator));
      if (marked === undefined) return body;
      return JSON.stringify({ ...input, ShardIterator: marked.iterator });
    }
    case 'GetShardIterator': {
      const { engineId } = dividedShardOf(String(ShardId));
      const own = { ...input, ShardId: engineId };
      return withRegion(JSON.stringify(ShardId === undefined ? input : own), engineRegion);
    }
    case 'DescribeStream': {
      // Few shards: all of them are answered at once, and there are none after the last.
      const { ExclusiveStartShardId: _, ...rest } = input;
      const asked = ExclusiveStartShardId === undefined ? input : rest;
      return withRegion(JSON.stringify(asked), engineRegion);
    }
    case 'ListStreams':
      return withRegion(body.toString(), engineRegion);
    default:
      return StreamArn === undefined ? body : withRegion(body.toString(), engineRegion);
  }
}

export type OuterView = {
  readonly account: Account;
  readonly tables: ReadonlyMap<string, Table>;
  readonly streamShards: number;
};

/** Answers of these carry ARNs with the engine's own region. */
const describing =
  /^(Create|Describe|Update|Delete)(Table|TimeToLive)$|^(ListStreams|DescribeStream)$/;

/** The engine's answer as the world sees it; the same bytes when nothing of it is another. */
export function outerAnswer(
  view: OuterView,
  operation: string,
  input: JsonObject,
  { status, body }: EngineAnswer,
): Buffer {
  if (status !== 200) return body;
  const { region } = view.account;
  if (describing.test(operation)) {
    const text = withRegion(body.toString(), region);
    const change = operation === 'DescribeStream' ? divided : described;
    if (!/^Describe(Stream|Table)$/.test(operation)) return Buffer.from(text);
    return Buffer.from(JSON.stringify(change(view, JSON.parse(text) as JsonObject, input)));
  }
  if (operation === 'GetShardIterator') return marked(view, body, input);
  return operation === 'GetRecords' ? partOf(body, input) : body;
}

function described({ tables }: OuterView, answer: JsonObject): JsonObject {
  const table = answer.Table as JsonObject;
  const fields = tables.get(String(table.TableName))?.description.fields ?? {};
  return { ...answer, Table: { ...table, ...fields } };
}

/**
 * A shard that is still written has no last sequence number on AWS; one engine names the newest
 * record instead, and readers would take the shard for closed. Only a shard with a child is closed.
 */
function divided({ streamShards }: OuterView, answer: JsonObject, input: JsonObject): JsonObject {
  const description = answer.StreamDescription as JsonObject;
  const shards = (Array.isArray(description.Shards) ? description.Shards : []) as JsonObject[];
  const parents = new Set(shards.map((shard) => shard.ParentShardId));
  const all = shards.flatMap((shard) => {
    const open = withoutEnd(shard, parents.has(shard.ShardId));
    return dividedShards(String(shard.ShardId), streamShards).map(({ id, part }) => ({
      ...open,
      ShardId: id,
      ...parentOf(shard, (parent) => partId(parent, part)),
    }));
  });
  const after = all.findIndex(({ ShardId }) => ShardId === input.ExclusiveStartShardId);
  return { ...answer, StreamDescription: { ...description, Shards: all.slice(after + 1) } };
}

function withoutEnd(shard: JsonObject, isClosed: boolean): JsonObject {
  const { EndingSequenceNumber: _, ...open } = (shard.SequenceNumberRange ?? {}) as JsonObject;
  return isClosed ? shard : { ...shard, SequenceNumberRange: open };
}

function parentOf({ ParentShardId }: JsonObject, name: (id: string) => string): JsonObject {
  return ParentShardId === undefined ? {} : { ParentShardId: name(String(ParentShardId)) };
}

function marked({ tables }: OuterView, body: Buffer, input: JsonObject): Buffer {
  const { part } = dividedShardOf(String(input.ShardId));
  const table = [...tables.values()].find(({ streamArn }) => streamArn === input.StreamArn);
  if (part.count === 1 || table === undefined) return body;
  const answer = JSON.parse(body.toString()) as JsonObject;
  const ShardIterator = markedIterator(String(answer.ShardIterator), table.partitionKey, part);
  return Buffer.from(JSON.stringify({ ...answer, ShardIterator }));
}

function partOf(body: Buffer, input: JsonObject): Buffer {
  const from = readIterator(String(input.ShardIterator));
  if (from === undefined) return body;
  const { partitionKey, part } = from;
  const answer = JSON.parse(body.toString()) as JsonObject;
  const records = (Array.isArray(answer.Records) ? answer.Records : []) as JsonObject[];
  const next = answer.NextShardIterator;
  return Buffer.from(
    JSON.stringify({
      ...answer,
      Records: records.filter((record) => isInPart(record, partitionKey, part)) as Json[],
      ...(typeof next === 'string'
        ? { NextShardIterator: markedIterator(next, partitionKey, part) }
        : {}),
    }),
  );
}

/** Engines name their region otherwise: ARNs are translated in both directions. */
const regionInArn = /arn:aws:dynamodb:[a-z0-9-]+:\d+:/g;

function withRegion(text: string, region: string): string {
  return text.replace(regionInArn, `arn:aws:dynamodb:${region}:${accountId}:`);
}
