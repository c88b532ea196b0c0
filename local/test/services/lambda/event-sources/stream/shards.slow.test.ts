/** A table of four shards: who reads its stream sees them, and every record is handled. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NotesClients, notesClients } from '../../../../notes-clients.ts';
import { eventually, type NotesCloud, startNotes } from '../../../../notes-cloud.ts';
import { shardsOf } from '../../../../stream-reader.ts';

let cloud: NotesCloud;
let clients: NotesClients;

beforeAll(async () => {
  cloud = await startNotes({ streamShards: 4 });
  clients = notesClients(cloud);
});

afterAll(async () => {
  clients.close();
  await cloud.stop();
});

const isOurs = (key: string): boolean => key.startsWith('P#');

test('each partition is in one of four shards, in its order', async () => {
  const TableName = cloud.output('TableName');
  for (let i = 0; i < 12; i += 1) {
    const Item = { PK: { S: `P#${i % 6}` }, SK: { S: String(i) } };
    await clients.database.send(new PutItemCommand({ TableName, Item }));
  }
  const shards = await eventually(async () => {
    const found = await shardsOf(cloud);
    return found.flatMap(({ keys }) => keys.filter(isOurs)).length === 12 ? found : undefined;
  });
  expect(shards).toHaveLength(4);
  for (let partition = 0; partition < 6; partition += 1) {
    const homes = shards.filter(({ keys }) => keys.includes(`P#${partition}`));
    expect(homes).toHaveLength(1);
    expect(homes[0]?.keys.filter((key) => key === `P#${partition}`)).toHaveLength(2);
  }
});
