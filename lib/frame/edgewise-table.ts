import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { expiryAttribute, listIndex, tableKeys } from '../../adapters/dynamodb/schema.ts';
import type { EdgewiseFunction } from './edgewise-function.ts';
import { pinLogicalId } from './logical-id.ts';
import type { Stage } from './stage.ts';

/**
 * The one table and its one sparse index. Its stream wakes the scheduler and the rollup, which are
 * all the readers that a stream bears without being throttled.
 */
export class EdgewiseTable extends Construct {
  readonly table: TableV2;
  readonly listIndexArn: string;

  constructor(scope: Construct, id: string, props: { readonly stage: Stage }) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: tableKeys.partition, type: AttributeType.STRING },
      sortKey: { name: tableKeys.sort, type: AttributeType.STRING },
      billing: Billing.onDemand(),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: expiryAttribute,
      removalPolicy: props.stage.removalPolicy,
      deletionProtection: props.stage.deletionProtection,
      globalSecondaryIndexes: [
        {
          indexName: listIndex.name,
          partitionKey: { name: listIndex.partition, type: AttributeType.STRING },
          sortKey: { name: listIndex.sort, type: AttributeType.STRING },
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: [...listIndex.attributes],
        },
      ],
    });
    this.listIndexArn = `${this.table.tableArn}/index/${listIndex.name}`;
    pinLogicalId(this.table, 'Table', 'a new name would mean a new, empty table');
  }

  /** Reading rows, single, in batches and by partition; never a scan. */
  allowReads(fn: EdgewiseFunction, options: { readonly lists?: boolean } = {}): void {
    fn.allow(
      ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
      [this.table.tableArn],
    );
    if (options.lists === true) fn.allow(['dynamodb:Query'], [this.listIndexArn]);
  }

  /** Puts and removes rows, in partitions whose keys are like this only. */
  allowRows(fn: EdgewiseFunction, partitions: string): void {
    fn.allow(['dynamodb:PutItem', 'dynamodb:DeleteItem'], [this.table.tableArn], {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
    });
  }

  allowWrites(fn: EdgewiseFunction): void {
    fn.allow(
      [
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:ConditionCheckItem',
      ],
      [this.table.tableArn],
    );
  }
}
