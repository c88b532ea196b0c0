import { readFileSync } from 'node:fs';

/**
 * What the control plane did, counted, and what that costs by the price table. Counts are of the
 * operations that AWS bills: a shadow operation or a row per started kilobyte, a read per started
 * four.
 */
export type Counts = {
  chunks: number;
  /** Documents granted or refilled: leases as they are sent. */
  leases: number;
  reports: number;
  passes: number;
  shadowUpdates: number;
  messages: number;
  tableWrites: number;
  writeUnits: number;
  readUnits: number;
};

export function noCounts(): Counts {
  return {
    chunks: 0,
    leases: 0,
    reports: 0,
    passes: 0,
    shadowUpdates: 0,
    messages: 0,
    tableWrites: 0,
    writeUnits: 0,
    readUnits: 0,
  };
}

type Prices = Readonly<Record<string, number>>;

export const prices = JSON.parse(
  readFileSync(new URL('../prices.json', import.meta.url), 'utf8'),
) as Prices;

/**
 * One batch of ten reports is one receive and one delete; a pass is one invocation of 20 ms at half
 * a gigabyte.
 */
const batchSize = 10;
const passGigabyteSeconds = 0.02 * 0.5;
const reportGigabyteSeconds = 0.02 * 0.5;

export function dollars(counts: Counts): number {
  const price = (name: string, amount: number) => (prices[name]! / 1_000_000) * amount;
  const batches = counts.reports / batchSize;
  return (
    price('iotMessage', counts.messages) +
    price('iotShadowOperation', counts.shadowUpdates) +
    price('iotRuleTriggered', counts.reports) +
    price('iotRuleAction', counts.reports) +
    price('sqsRequest', counts.reports + 2 * batches) +
    price('dynamodbWriteUnit', counts.writeUnits) +
    price('dynamodbReadUnit', counts.readUnits) +
    price('lambdaRequest', counts.passes + batches) +
    price('lambdaGigabyteSecond', counts.passes * passGigabyteSeconds) +
    price('lambdaGigabyteSecond', batches * reportGigabyteSeconds)
  );
}

export function kilobytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}
