import {
  foldedBy,
  jobRows,
  partitions,
  passMark,
  wakingRows,
} from '../../../adapters/dynamodb/schema.ts';
import type { StreamRecord } from './change-stream.ts';
import type { ChangeRecord } from './simulated-table.ts';

/** The filters of the template. */
export function wakesCell({ eventName, pk, sk }: ChangeRecord): boolean {
  const isWaking = wakingRows.some((kind) =>
    kind.endsWith('#') ? sk.startsWith(kind) : sk === kind,
  );
  return eventName !== 'REMOVE' && pk.startsWith(partitions.cell) && isWaking;
}

export function countsJob({ eventName, pk, sk, row }: ChangeRecord): boolean {
  const isCount = pk.startsWith(partitions.job) && sk.startsWith(jobRows.cell);
  return eventName !== 'REMOVE' && isCount && row?.[foldedBy.attribute] === foldedBy.rollup;
}

export function recordOf({ pk, sk, sequence, row }: StreamRecord) {
  const Keys = { pk: { S: pk }, sk: { S: sk } };
  const NewImage = { [passMark]: { BOOL: row?.[passMark] === true } };
  return { dynamodb: { Keys, NewImage, SequenceNumber: sequence } };
}
