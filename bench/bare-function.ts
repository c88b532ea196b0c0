import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';

/**
 * What submitting is measured against: a function that reads its body, stores one row and answers.
 */
const client = new DynamoDBClient({});
const TableName = process.env.TABLE_NAME;

export async function handler(event: { readonly body?: string }) {
  const id = randomUUID();
  const body = JSON.parse(event.body ?? '{}');
  const Item = { pk: { S: `BARE#${id}` }, sk: { S: 'BARE' }, body: { S: JSON.stringify(body) } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const headers = { 'content-type': 'application/json' };
  return { statusCode: 202, headers, body: JSON.stringify({ id, body }) };
}
