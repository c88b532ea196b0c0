/** What GetConnection still knows of clients that have left, for as long as AWS does. */
import type { DisconnectReason } from '../broker/connection.ts';
import { connectionKnownMs } from '../limits.ts';

export type LastConnection = {
  readonly disconnectReason: DisconnectReason;
  readonly disconnectedAtMs: number;
  readonly clean: boolean;
  readonly keepAliveSeconds: number;
  readonly thing?: string;
};

/** Local: clients that left and are still known to GetConnection. */
const lastConnectionsMax = 10_000;

export function lastConnections(nowMs: () => number) {
  const ended = new Map<string, LastConnection>();
  return {
    add(clientId: string, last: LastConnection): void {
      ended.delete(clientId);
      ended.set(clientId, last);
      if (ended.size > lastConnectionsMax) ended.delete(ended.keys().next().value!);
    },
    remove: (clientId: string): boolean => ended.delete(clientId),
    find(clientId: string): LastConnection | undefined {
      const last = ended.get(clientId);
      if (last === undefined || nowMs() - last.disconnectedAtMs < connectionKnownMs) return last;
      ended.delete(clientId);
      return undefined;
    },
  };
}
