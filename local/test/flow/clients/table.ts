/** The table of `docs/local-cloud.md`: a row for each call, a column for each client. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientName, clients } from './clients.ts';

export const rows = [
  'CloudFormation DescribeStacks',
  'CloudFormation ListStackResources',
  'Lambda ListFunctions',
  'Lambda GetFunction',
  'Lambda ListEventSourceMappings',
  'IoT ListTopicRules',
  'IoT CreatePolicy',
  'IoT CreateKeysAndCertificate',
  'CloudWatch Logs FilterLogEvents',
  'API Gateway v2 GetApis',
  'STS GetCallerIdentity',
  'STS AssumeRole',
  'DynamoDB DescribeTable',
  'S3 GetBucketLifecycleConfiguration',
  'S3 PutObject If-None-Match',
  'an operation that is not there',
  'a service that is not there',
] as const;

export type Row = (typeof rows)[number];

const page = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'local-cloud.md');
const begin = '<!-- made by local/test/flow/clients -->\n';
const end = '<!-- end -->\n';

/** What the page says about one client; empty when it has no such column. */
export function readTable(client: ClientName): Map<Row, string> {
  const [head = [], , ...lines] = tableText()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const column = head.indexOf(clients.get(client)!.title);
  if (column < 0) return new Map();
  return new Map(rows.map((row) => [row, cellIn(lines, row, column)]));
}

const cellIn = (lines: readonly string[][], row: Row, column: number): string =>
  lines.find((cells) => cells[1] === row)?.[column] ?? 'no such row';

function tableText(): string {
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin);
  return text.slice(from + begin.length, text.indexOf(end, from));
}

export function writeTable(
  found: ReadonlyMap<ClientName, ReadonlyMap<Row, string>>,
  missing: ReadonlyMap<ClientName, string>,
): void {
  const columns = [...clients.values()].map(({ name, title }) => {
    const cells = found.get(name);
    const reason = `not tried: ${missing.get(name)}`;
    return { title, cellOf: (row: Row) => cells?.get(row) ?? reason };
  });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const table = [
    line(['', ...columns.map(({ title }) => title)]),
    line(['---', ...columns.map(() => '---')]),
    ...rows.map((row) => line([row, ...columns.map(({ cellOf }) => cellOf(row))])),
  ].join('');
  writeFileSync(page, readFileSync(page, 'utf8').replace(begin + tableText(), begin + table));
}
