import type { EventBus } from '../../../core/ports/fleet-log.ts';
import type { WebhooksStore } from '../../../core/ports/webhooks.ts';
import {
  busEntriesMax,
  deliveryBudgetMs,
  deliveryErrorLengthMax,
} from '../../../core/webhooks/limits.ts';
import { newDelivery } from '../../../core/webhooks/webhook.ts';
import { type CarryDeps, carryEvents, isDue } from './carry-events.ts';

/** A reader of the log like any webhook, under a name that no webhook can have. */
const id = 'event-bus';

/**
 * Puts every event on the bus of the stack. A request of which a part was refused is repeated
 * whole: an event that comes a second time has the id that it had.
 */
export type FillBusDeps = Omit<CarryDeps, 'webhooks'> & {
  readonly webhooks: Pick<WebhooksStore, 'save' | 'begin' | 'deliveryOf'>;
  readonly bus: EventBus;
};

export async function fillBus(deps: FillBusDeps): Promise<void> {
  const { webhooks, bus, clock } = deps;
  const begunAtMs = clock.nowMs();
  // The first time it gets all that is kept.
  if ((await webhooks.deliveryOf(id)) === null) await webhooks.begin(id, newDelivery(null));
  const delivery = await webhooks.deliveryOf(id);
  if (delivery === null || !isDue(delivery, begunAtMs)) return;
  const receiver = {
    id,
    atOnce: busEntriesMax,
    wants: () => true,
    async send(events: Parameters<EventBus['put']>[0]) {
      const event = events.at(-1)?.id ?? '';
      try {
        await bus.put(events);
        return { isTaken: true, atMs: clock.nowMs(), event, status: null, error: null };
      } catch (error) {
        deps.log.error('the event bus took nothing', { error });
        const words = String(error).slice(0, deliveryErrorLengthMax);
        return { isTaken: false, atMs: clock.nowMs(), event, status: null, error: words };
      }
    },
  };
  await carryEvents(receiver, delivery, begunAtMs + deliveryBudgetMs, deps);
}
