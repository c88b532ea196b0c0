import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { jobRows, partitions } from '../../adapters/dynamodb/schema.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { keyPattern, readStream } from './stream-reader.ts';

/** The function that folds the counts of cells into the status of jobs, and what wakes it. */
export class Rollup extends Construct {
  readonly function: EdgewiseFunction;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly table: EdgewiseTable;
      readonly streamFailures: Queue;
      readonly stage: Stage;
    },
  ) {
    super(scope, id);
    this.function = new EdgewiseFunction(this, 'Fold', {
      entry: 'rollup',
      description: 'Adds up the counts of cells to the status of their jobs',
      stage: props.stage,
      timeoutSeconds: 30,
      environment: { TABLE_NAME: props.table.table.tableName },
      alarm: 'errors',
    });
    readStream(this.function, {
      table: props.table,
      filters: [rollupFilter],
      failures: props.streamFailures,
      stage: props.stage,
      batchSize: 500,
    });
    props.table.allowReads(this.function);
    props.table.allowWrites(this.function);
  }
}

export const rollupFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { pk: { S: [keyPattern(partitions.job)] }, sk: { S: [keyPattern(jobRows.cell)] } },
  },
};
