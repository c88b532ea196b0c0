/**
 * What a template says about a function that reads a table's stream
 * (`AWS::Lambda::EventSourceMapping`).
 */
import type { JsonObject } from '../../../../assembly/assembly.ts';
import type { FilterPattern } from '../filter/pattern.ts';

export type StreamMapping = {
  /** Name in the template, by which checkpoints are kept. */
  readonly id: string;
  readonly uuid: string;
  readonly enabled: boolean;
  readonly functionName: string;
  /** ARN as the template sees it. */
  readonly streamArn: string;
  readonly engineStreamArn: string;
  readonly tableName: string;
  /** The attribute by which the table's items are divided into shards, and how many there are. */
  readonly partitionKey: string;
  readonly shards: number;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  readonly batchSize: number;
  readonly batchWindowMs: number;
  readonly lanes: number;
  /** 0: no windows. */
  readonly tumblingWindowMs: number;
  /** -1: until the record expires. */
  readonly retriesMax: number;
  /** -1: until the record expires. */
  readonly recordAgeSecondsMax: number;
  readonly bisects: boolean;
  readonly reportsItemFailures: boolean;
  readonly filters: readonly FilterPattern[];
  readonly failureTargetArn: string | undefined;
  readonly roleArn: string;
  /** The properties of the template, resolved: what Lambda answers about the mapping. */
  readonly described: JsonObject;
};
