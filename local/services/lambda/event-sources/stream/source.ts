/**
 * Reads a table's stream for one event source mapping: finds the shards, parents before children,
 * reads each from its checkpoint, filters, and hands the records to lanes. Any trouble with the
 * engine leads back to the checkpoint, so a restarted engine is read on from where it was. LATEST
 * is the moment of the first start of all: a later start, a lost iterator and a new shard read from
 * the beginning and leave out what is older.
 */

import type { Json, JsonObject } from '../../../../assembly/assembly.ts';
import type { Clock } from '../../../../engine/clock.ts';
import type { StateStore } from '../../../../engine/state-store.ts';
import {
  streamBufferedRecordsMax,
  streamEagerForMs,
  streamEagerMs,
  streamIdleMs,
  streamReadRecordsMax,
} from '../../../../limits.ts';
import { type DatabaseClient, DatabaseError } from '../../../dynamodb/client.ts';
import {
  type DividedShard,
  dividedShards,
  isInPart,
  partId,
} from '../../../dynamodb/stream-shards.ts';
import type { FunctionDefinition, InvocationOutcome } from '../../definition.ts';
import type { LambdaService } from '../../service.ts';
import { type BatchDelivery, batchDelivery } from '../batch-delivery.ts';
import type { FailureTarget } from '../failure-target.ts';
import { type Checkpoint, checkpointOf } from './checkpoint.ts';
import { divideAnew } from './division.ts';
import { type StreamLane, streamLane } from './lane.ts';
import type { StreamMapping } from './mapping.ts';
import { eventRecord, type RecordFrame, type StreamRecord, streamRecord } from './record.ts';
import { windowedDelivery } from './tumbling-window.ts';
import type { WriteSignal } from './write-signal.ts';

export type StreamSource = {
  /** Age of the oldest record that is not handled yet. */
  iteratorAgeMs(): number;
  close(): Promise<void>;
};

export type StreamSourceOptions = {
  mapping: StreamMapping;
  definition: FunctionDefinition;
  database: DatabaseClient;
  lambda: LambdaService;
  store: StateStore;
  signal: WriteSignal;
  target: FailureTarget;
  frame: RecordFrame;
  clock: Clock;
  log(line: string): void;
};

export function startStreamSource(options: StreamSourceOptions): StreamSource {
  const source = new Source(options);
  source.start();
  return source;
}

type Invoke = (payload: Buffer) => Promise<InvocationOutcome>;

type Shard = {
  readonly divided: DividedShard;
  readonly checkpoint: Checkpoint;
  readonly lanes: StreamLane[];
  oldestAtMs: number | undefined;
  /** True: reading begins with what is written from now on. */
  isAtTip: boolean;
  endWindow(): void;
};

class Source implements StreamSource {
  readonly #options: StreamSourceOptions;
  readonly #shards = new Map<string, Shard>();
  readonly #reading: Promise<void>[] = [];
  readonly #wakes = new Set<() => void>();
  /** Records before this are none of this mapping's. */
  readonly #sinceMs: number;
  readonly #isFirstStart: boolean;
  #stopped = false;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    const { mapping, store, frame } = options;
    const key = `${mapping.id}/${mapping.engineStreamArn}`;
    const known = store.get('stream-start', key);
    this.#isFirstStart = known === undefined;
    const startMs = Number(known ?? options.clock.nowMs());
    if (known === undefined) store.put('stream-start', key, String(startMs));
    if (known !== undefined) divideAnew(store, key, mapping.shards);
    store.put('stream-shards', key, String(mapping.shards));
    const isLatest = mapping.startingPosition === 'LATEST';
    this.#sinceMs = isLatest ? startMs - (frame.stampsPrecisely ? 1_000 : 60_000) : 0;
  }

  start(): void {
    this.#reading.push(this.#followShards(undefined));
  }

  iteratorAgeMs(): number {
    const ages = [...this.#shards.values()].map((shard) =>
      shard.checkpoint.pending === 0 || shard.oldestAtMs === undefined
        ? 0
        : this.#options.clock.nowMs() - shard.oldestAtMs,
    );
    return Math.max(0, ...ages);
  }

  async close(): Promise<void> {
    this.#stopped = true;
    for (const wake of this.#wakes) wake();
    await Promise.all(this.#reading);
    for (const shard of this.#shards.values()) {
      shard.endWindow();
      await Promise.all(shard.lanes.map((lane) => lane.close()));
    }
  }

  /** Starts the shards that have no parent left to read. */
  async #followShards(finished: string | undefined): Promise<void> {
    while (!this.#stopped) {
      try {
        const shards = await this.#describeShards();
        for (const { shard, parent } of shards) {
          if (this.#shards.has(shard.id)) continue;
          const isThere = shards.some((other) => other.shard.id === parent);
          const isAtTip = this.#isFirstStart && finished === undefined;
          if (isThere && parent !== finished) continue;
          this.#reading.push(this.#readShard(shard, isAtTip));
        }
        return;
      } catch (error) {
        this.#options.log(`stream of ${this.#options.mapping.tableName}: ${String(error)}`);
        await this.#pause(streamIdleMs);
      }
    }
  }

  /** The engine's shards, each divided into as many as the stream shall have. */
  async #describeShards(): Promise<{ shard: DividedShard; parent: string | undefined }[]> {
    const { engineStreamArn, shards: count } = this.#options.mapping;
    const answer = await this.#options.database.call('Streams.DescribeStream', {
      StreamArn: engineStreamArn,
    });
    const description = answer.StreamDescription as JsonObject;
    const shards = Array.isArray(description.Shards) ? description.Shards : [];
    return (shards as JsonObject[]).flatMap(({ ShardId, ParentShardId }) =>
      dividedShards(String(ShardId), count).map((shard) => ({
        shard,
        parent: ParentShardId === undefined ? undefined : partId(String(ParentShardId), shard.part),
      })),
    );
  }

  async #readShard(divided: DividedShard, isAtTip: boolean): Promise<void> {
    const { mapping, signal } = this.#options;
    const shard = this.#openShard(divided);
    shard.isAtTip = isAtTip && mapping.startingPosition === 'LATEST';
    let position = shard.checkpoint.sequence;
    let iterator: string | undefined;
    let eagerMs = streamEagerMs;
    while (!this.#stopped) {
      const seen = signal.count(mapping.tableName);
      if (shard.checkpoint.pending >= streamBufferedRecordsMax) {
        await this.#pause(streamEagerMs);
        continue;
      }
      try {
        iterator ??= await this.#iterator(shard, position);
        shard.isAtTip = false;
        const page = await this.#options.database.call('Streams.GetRecords', {
          ShardIterator: iterator,
          Limit: streamReadRecordsMax,
        });
        const records = Array.isArray(page.Records) ? page.Records : [];
        position = this.#accept(shard, records) ?? position;
        const next = page.NextShardIterator;
        if (typeof next !== 'string') return this.#followShards(divided.id);
        iterator = next;
        if (records.length > 0) {
          eagerMs = streamEagerMs;
          continue;
        }
      } catch (error) {
        if (this.#stopped) return;
        iterator = undefined;
        // Records older than the retention are gone: go on with the oldest that is there.
        if (error instanceof DatabaseError && error.type === 'TrimmedDataAccessException') {
          position = undefined;
          shard.checkpoint.forget();
        }
        await this.#pause(streamIdleMs / 4);
        continue;
      }
      const isEager = eagerMs <= streamEagerForMs;
      await this.#rest(seen, isEager ? eagerMs : streamIdleMs);
      eagerMs = signal.count(mapping.tableName) === seen ? eagerMs * 2 : streamEagerMs;
    }
  }

  #openShard(divided: DividedShard): Shard {
    const { mapping, store } = this.#options;
    const { id } = divided;
    const checkpoint = checkpointOf(store, `${mapping.id}/${mapping.engineStreamArn}/${id}`);
    const delivery = this.#delivery(id, checkpoint);
    const lanes = Array.from({ length: mapping.lanes }, () =>
      streamLane({ batchSize: mapping.batchSize, batchWindowMs: mapping.batchWindowMs, delivery }),
    );
    const endWindow = (): void => delivery.close?.();
    const shard = { divided, checkpoint, lanes, oldestAtMs: undefined, isAtTip: false, endWindow };
    this.#shards.set(id, shard);
    return shard;
  }

  #delivery(shardId: string, checkpoint: Checkpoint): BatchDelivery & { close?(): void } {
    const { mapping, definition, lambda, target, store, clock } = this.#options;
    const invoke: Invoke = (payload) => lambda.invoke(definition, payload);
    const pause = (ms: number): Promise<void> => this.#pause(ms);
    const isStopped = (): boolean => this.#stopped;
    const finished = (records: readonly StreamRecord[]): void =>
      checkpoint.finish(records.map((record) => record.ticket));
    const rest = { mapping, shardId, definition, target, finished, pause, isStopped };
    const { nowMs } = clock;
    const plain = (through: Invoke): BatchDelivery =>
      batchDelivery({ ...rest, nowMs, invoke: through });
    if (mapping.tumblingWindowMs === 0) return plain(invoke);
    return windowedDelivery({
      ...{ mapping, shardId, store, clock, invoke, pause, isStopped },
      delivery: plain,
    });
  }

  async #iterator(shard: Shard, position: string | undefined): Promise<string> {
    const { mapping } = this.#options;
    const answer = await this.#options.database.call('Streams.GetShardIterator', {
      StreamArn: mapping.engineStreamArn,
      ShardId: shard.divided.engineId,
      ...(position === undefined
        ? { ShardIteratorType: shard.isAtTip ? 'LATEST' : 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position }),
    });
    return String(answer.ShardIterator);
  }

  /** Returns the position after these records. */
  #accept(shard: Shard, records: readonly Json[]): string | undefined {
    const { mapping, frame, clock } = this.#options;
    let position: string | undefined;
    const { part } = shard.divided;
    const filteredOut = [];
    for (const raw of records as JsonObject[]) {
      const event = eventRecord(raw, frame);
      position = String((raw.dynamodb as JsonObject).SequenceNumber);
      if (shard.checkpoint.pending === 0) shard.oldestAtMs = clock.nowMs();
      const ticket = shard.checkpoint.open(position);
      const isOwn = isInPart(raw, mapping.partitionKey, part) && stampMs(raw) >= this.#sinceMs;
      const passes =
        mapping.filters.length === 0 || mapping.filters.some((filter) => filter(event));
      if (!isOwn || !passes) {
        filteredOut.push(ticket);
        continue;
      }
      const record = streamRecord(event, ticket);
      shard.lanes[record.keyHash % shard.lanes.length]?.add(record);
    }
    shard.checkpoint.finish(filteredOut);
    return position;
  }

  #rest(seen: number, ms: number): Promise<void> {
    return this.#options.signal.wait(this.#options.mapping.tableName, seen, ms);
  }

  #pause(ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wakes.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wakes.add(done);
    });
  }
}

function stampMs(raw: JsonObject): number {
  const { ApproximateCreationDateTime } = raw.dynamodb as JsonObject;
  return Number(ApproximateCreationDateTime ?? 0) * 1_000;
}
