/** An operator who hears of every connection that begins or ends. */
import type { MqttClient } from 'mqtt';
import { type Fixture, inbox, json } from './fixture.ts';

export type PresenceWatcher = {
  readonly client: MqttClient;
  readonly events: ReturnType<typeof inbox>;
  /** The first event of this kind about the client, from the message `from` on. */
  presence(kind: string, clientId: string, from?: number): Promise<ReturnType<typeof json>>;
};

export async function watchPresence(iot: Fixture): Promise<PresenceWatcher> {
  const client = await iot.operator('watcher');
  const events = inbox(client);
  await client.subscribeAsync('$aws/events/presence/#', { qos: 1 });
  return {
    client,
    events,
    presence: async (kind, clientId, from = 0) =>
      json((await events.next(`/${kind}/${clientId}`, from)).payload),
  };
}

export const closed = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => client.once('close', () => resolve()));
