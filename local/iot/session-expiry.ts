/**
 * Persistent sessions end an hour after their client left: "The persistent session expiration timer
 * starts when the message broker detects that a client has disconnected." They live in memory, so
 * a restart of the broker ends them too, and a client sees `sessionPresent` 0.
 */
import type { Aedes, Client } from 'aedes';

type Persistence = {
  cleanSubscriptions(client: { id: string }): Promise<unknown>;
  outgoingStream(client: { id: string }): AsyncIterable<{ messageId?: number }>;
  outgoingClearMessageId(client: { id: string }, packet: object): Promise<unknown>;
};

type SessionExpiry = {
  /** Sessions whose clients are away. */
  waiting(): number;
  close(): void;
};

export function expireSessions(aedes: Aedes, expiryMs: number): SessionExpiry {
  const timers = new Map<string, NodeJS.Timeout>();
  const { persistence } = aedes as unknown as { persistence: Persistence };

  const expire = async (id: string): Promise<void> => {
    await persistence.cleanSubscriptions({ id });
    for await (const packet of persistence.outgoingStream({ id })) {
      await persistence.outgoingClearMessageId({ id }, packet);
    }
    timers.delete(id);
  };
  const forget = ({ id }: Client) => {
    clearTimeout(timers.get(id));
    timers.delete(id);
  };

  aedes.on('client', forget);
  aedes.on('clientDisconnect', (client) => {
    forget(client);
    if (client.clean) return;
    const timer = setTimeout(() => void expire(client.id), expiryMs);
    timer.unref();
    timers.set(client.id, timer);
  });
  return {
    waiting: () => timers.size,
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
