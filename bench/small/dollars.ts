import { prices } from '../core/bill.ts';

/**
 * What a million single jobs cost by the price table, from what the local gateway counted for one:
 * calls, rows and invocations. A row counts as one started kilobyte, twice in a transaction, and
 * once more where it lies in the index; a read of a cell as its number of started four kilobytes.
 */
const indexedRowsPerJob = 4;
const cellReadUnits = 4;
const gigabyteSeconds = 0.02;

/** The sum of all that is counted under names that begin so, per job. */
export type PerJob = (start: string) => number;

export function dollarsPerMillion(each: PerJob): { readonly writes: number; readonly all: number } {
  const rows = each('dynamodb TransactWriteItems rows');
  const single = ['PutItem', 'UpdateItem', 'DeleteItem'].reduce(
    (sum, name) => sum + each(`dynamodb ${name}`),
    0,
  );
  const units = rows * prices.dynamodbTransactionFactor! + single + indexedRowsPerJob;
  const writes = units * prices.dynamodbWriteUnit!;
  const readUnits =
    each('dynamodb Query') * cellReadUnits +
    each('dynamodb GetItem') +
    each('dynamodb BatchGetItem');
  const reads = readUnits * prices.dynamodbReadUnit!;
  const invocations = each('function ');
  const functions =
    invocations * (prices.lambdaRequest! + gigabyteSeconds * prices.lambdaGigabyteSecond!);
  const reports = each('function EdgeReportsIntake');
  const shadows = each('iotdata POST') + reports;
  const device =
    shadows * (prices.iotShadowOperation! + prices.iotMessage!) +
    reports * (prices.iotRuleTriggered! + prices.iotRuleAction! + 3 * prices.sqsRequest!);
  return { writes, all: writes + reads + functions + device };
}
