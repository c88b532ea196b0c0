/**
 * Time to live: the engine knows the attribute and deletes expired items at its own pace, as
 * DynamoDB does ("typically within a few days").
 */
import { type DatabaseClient, DatabaseError } from './client.ts';

export async function enableTimeToLive(
  database: DatabaseClient,
  tableName: string,
  attributeName: string,
): Promise<void> {
  const TimeToLiveSpecification = { Enabled: true, AttributeName: attributeName };
  try {
    await database.call('DynamoDB.UpdateTimeToLive', {
      TableName: tableName,
      TimeToLiveSpecification,
    });
  } catch (error) {
    // It is enabled already.
    if (error instanceof DatabaseError && error.type === 'ValidationException') return;
    throw error;
  }
}
