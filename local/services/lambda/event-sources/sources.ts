/** Starts the readers of all event source mappings of the template. */

import type { Clock } from '../../../engine/clock.ts';
import type { StateStore } from '../../../engine/state-store.ts';
import type { World } from '../../../world.ts';
import type { EngineName } from '../../dynamodb/database.ts';
import type { LambdaService } from '../service.ts';
import { failureTarget } from './failure-target.ts';
import { startQueueSource } from './queue/source.ts';
import { type StreamSource, startStreamSource } from './stream/source.ts';
import type { WriteSignal } from './stream/write-signal.ts';

export type EventSources = {
  /** By function: age of the oldest stream record that is not handled. */
  iteratorAgesMs(): Record<string, number>;
  close(): Promise<void>;
};

export type EventSourcesOptions = {
  world: World;
  lambda: LambdaService;
  store: StateStore;
  signal: WriteSignal;
  engine: EngineName;
  clock: Clock;
  log(line: string): void;
};

export function startEventSources(options: EventSourcesOptions): EventSources {
  const { world, lambda, store, signal, clock, log } = options;
  const target = failureTarget(world.queues);
  const streams: { functionName: string; source: StreamSource }[] = [];
  for (const mapping of world.streamMappings) {
    const definition = lambda.find(mapping.functionName);
    if (definition === undefined || !mapping.enabled) continue;
    const frame = {
      streamArn: mapping.streamArn,
      region: world.account.region,
      stampsPrecisely: options.engine === 'dynoxide',
    };
    const source = startStreamSource({
      mapping,
      definition,
      database: world.database,
      lambda,
      store,
      signal,
      target,
      frame,
      clock,
      log,
    });
    streams.push({ functionName: mapping.functionName, source });
  }
  const queues = world.queueMappings.flatMap((mapping) => {
    const definition = lambda.find(mapping.functionName);
    if (definition === undefined || !mapping.enabled) return [];
    const { region } = world.account;
    return [startQueueSource({ mapping, definition, queues: world.queues, lambda, region, log })];
  });
  return {
    iteratorAgesMs: () => {
      const ages: Record<string, number> = {};
      for (const { functionName, source } of streams) {
        ages[functionName] = Math.max(ages[functionName] ?? 0, source.iteratorAgeMs());
      }
      return ages;
    },
    close: async () => {
      await Promise.all([
        ...streams.map(({ source }) => source.close()),
        ...queues.map((source) => source.close()),
      ]);
    },
  };
}
