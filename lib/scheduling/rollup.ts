import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  cellRows,
  edgeRows,
  foldedBy,
  jobRows,
  partitions,
  statusNews,
} from '../../adapters/dynamodb/schema.ts';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { keyPattern, readStream } from './stream-reader.ts';

/**
 * The function that folds the counts of cells into the status of jobs, and what wakes it. It tells
 * of changes of states as well, because a stream bears no third reader.
 */
export class Rollup extends Construct {
  readonly function: EdgewiseFunction;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly table: EdgewiseTable;
      readonly streamFailures: Queue;
      /** Where to say that something was appended to the log. */
      readonly eventWakes: Queue;
      readonly stage: Stage;
    },
  ) {
    super(scope, id);
    this.function = new EdgewiseFunction(this, 'Fold', {
      entry: 'rollup',
      description: 'Adds up the counts of cells to the status of their jobs',
      stage: props.stage,
      timeoutSeconds: 30,
      environment: {
        TABLE_NAME: props.table.table.tableName,
        EVENT_WAKES_URL: props.eventWakes.queueUrl,
      },
      alarm: 'errors',
    });
    readStream(this.function, {
      table: props.table,
      filters: [rollupFilter, ...newsFilters],
      failures: props.streamFailures,
      stage: props.stage,
      batchSize: 500,
    });
    props.table.allowReads(this.function);
    props.table.allowWrites(this.function);
    this.function.allow(['sqs:SendMessage'], [props.eventWakes.queueArn]);
  }
}

const isThere = [{ exists: true }];
const worksOfEdges = {
  pk: { S: [keyPattern(partitions.cell)] },
  sk: { S: [keyPattern(cellRows.work)] },
};

/**
 * For the fleet's log: changes of a job's state, an edge that is new, and one that is lost or was
 * so before. A mapping has five filters (quota of Lambda), and with that of the counts these are
 * all.
 */
export const newsFilters = [
  {
    eventName: ['INSERT', 'MODIFY'],
    dynamodb: {
      Keys: { pk: { S: [keyPattern(partitions.job)] }, sk: { S: [jobRows.status] } },
      NewImage: { [statusNews.attribute]: { S: [statusNews.yes] } },
    },
  },
  {
    eventName: ['INSERT'],
    dynamodb: {
      Keys: { pk: { S: [keyPattern(partitions.edge)] }, sk: { S: [edgeRows.pointer] } },
    },
  },
  {
    eventName: ['INSERT', 'MODIFY'],
    dynamodb: { Keys: worksOfEdges, NewImage: { lostAtMs: { N: isThere } } },
  },
  {
    eventName: ['MODIFY'],
    dynamodb: { Keys: worksOfEdges, OldImage: { lostAtMs: { N: isThere } } },
  },
];

export const rollupFilter = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { pk: { S: [keyPattern(partitions.job)] }, sk: { S: [keyPattern(jobRows.cell)] } },
    // Where the cell's pass has written the status as well, there is nothing left to do. A value
    // that is there: emulators differ in what is absent when its parent is.
    NewImage: { [foldedBy.attribute]: { S: [foldedBy.rollup] } },
  },
};
