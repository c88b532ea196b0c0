import { readFileSync } from 'node:fs';

/** What AWS lets an account do, as it is before anything is raised. */
export type Quota = {
  readonly name: string;
  readonly what: string;
  /** A second, or at once. */
  readonly most: number;
};

type Quotas = {
  readonly quotas: readonly Quota[];
  readonly connectsPerSecond: number;
  readonly certificatesPerSecond: number;
  readonly tablePartitionsFirst: number;
  readonly tablePartitionWritesPerSecond: number;
};

export const quotas = JSON.parse(
  readFileSync(new URL('../quotas.json', import.meta.url), 'utf8'),
) as Quotas;
