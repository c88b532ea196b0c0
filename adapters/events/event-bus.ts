import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { shownEvent } from '../../core/events/fleet-event.ts';
import type { EventBus } from '../../core/ports/fleet-log.ts';
import { clientConfig } from '../aws/client-config.ts';

/** The bus of the stack, for rules of those who own the account. */
export function createEventBus(
  busName: string,
  client: EventBridgeClient = new EventBridgeClient(clientConfig),
): EventBus {
  return {
    async put(events) {
      const Entries = events.map((event) => ({
        EventBusName: busName,
        Source: 'edgewise',
        DetailType: event.kind,
        Detail: JSON.stringify(shownEvent(event)),
      }));
      const answer = await client.send(new PutEventsCommand({ Entries }));
      const refused = (answer.Entries ?? []).find(({ ErrorCode }) => ErrorCode !== undefined);
      if (refused !== undefined) throw new Error(`${refused.ErrorCode}: ${refused.ErrorMessage}`);
    },
  };
}
