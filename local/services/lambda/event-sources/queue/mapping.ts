/** What a template says about a function that reads a queue (`AWS::Lambda::EventSourceMapping`). */
import type { JsonObject } from '../../../../assembly/assembly.ts';
import type { FilterPattern } from '../filter/pattern.ts';

export type QueueMapping = {
  readonly id: string;
  readonly uuid: string;
  readonly enabled: boolean;
  readonly functionName: string;
  readonly queueArn: string;
  readonly queueName: string;
  readonly batchSize: number;
  readonly batchWindowMs: number;
  readonly concurrencyMax: number;
  readonly reportsItemFailures: boolean;
  readonly filters: readonly FilterPattern[];
  readonly roleArn: string;
  /** The properties of the template, resolved: what Lambda answers about the mapping. */
  readonly described: JsonObject;
};
