/** Takes orders and tells how far they are. */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';

const database = new DynamoDBClient({});
const TableName = process.env.TABLE;

export async function handler({ routeKey, body, pathParameters, requestContext }) {
  if (routeKey === 'POST /orders') {
    const { goods } = JSON.parse(body);
    const id = requestContext.requestId;
    const Item = { id: { S: id }, goods: { S: String(goods) }, state: { S: 'ordered' } };
    await database.send(new PutItemCommand({ TableName, Item }));
    return { statusCode: 201, body: JSON.stringify({ id, state: 'ordered' }) };
  }
  const Key = { id: { S: pathParameters.id } };
  const { Item } = await database.send(
    new GetItemCommand({ TableName, Key, ConsistentRead: true }),
  );
  if (Item === undefined) return { statusCode: 404, body: 'no such order' };
  const order = { id: Item.id.S, goods: Item.goods.S, state: Item.state.S };
  return { statusCode: 200, body: JSON.stringify(order) };
}
