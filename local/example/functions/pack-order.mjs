/** Packs orders. What fails is tried again, and ends in the dead-letter queue. */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

const database = new DynamoDBClient({});

export async function handler({ Records }) {
  for (const { body } of Records) {
    const { id } = JSON.parse(body);
    await database.send(
      new UpdateItemCommand({
        TableName: process.env.TABLE,
        Key: { id: { S: id } },
        UpdateExpression: 'SET #state = :packed',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':packed': { S: 'packed' } },
      }),
    );
  }
}
