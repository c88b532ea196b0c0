import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The connection that a function keeps for its life; the endpoint and the region come from the environment. */
export function createDocumentClient(): DynamoDBDocumentClient {
  return documentClientOf(new DynamoDBClient({ maxAttempts: 4 }));
}

export function documentClientOf(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
  });
}
