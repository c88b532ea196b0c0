import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { decodeMap } from '../../../adapters/dynamodb/attribute-values.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';

/**
 * Tables as earlier states of this code left them, every kind of row that they had, in the order of
 * their age. No version is released yet; a release adds `rows.golden.txt` as it is then, under the
 * number of the version, and nothing ever changes one of these.
 */
const tables = { first: 'rows-earlier-1.txt', second: 'rows-earlier-2.txt' } as const;

export function rowsOf(table: keyof typeof tables): readonly Row[] {
  const text = readFileSync(join(import.meta.dirname, tables[table]), 'utf8');
  return text
    .trimEnd()
    .split(/\n(?=\S)/)
    .map(rowOf);
}

/** A line with the key, then one for each attribute. */
function rowOf(text: string): Row {
  const [key = '', ...lines] = text.split('\n');
  const [pk = '', sk = ''] = key.split(/ (.*)/s);
  const attributes = lines.map((line): [string, AttributeValue] => {
    const [, name = '', value = ''] = /^ {2}(\S+) (.*)$/.exec(line) ?? [];
    return [name, JSON.parse(value) as AttributeValue];
  });
  return { ...decodeMap(Object.fromEntries(attributes)), pk, sk };
}
