import type { FleetEvents, Health } from '../../core/contract/resources.ts';
import type { Client } from '../api/client.ts';
import { eventWaitMsMax, streamOpenMsMax } from '../limits.ts';
import { type ChangeSources, followedFigures } from './follow-changes.ts';

/** By which requests a page finds out that something changed. */
export function changeSources(client: Client): ChangeSources {
  let address: string | null = null;
  return {
    async stream(lastId, signal) {
      address ??= await streamAddress(client);
      if (address === null) return null;
      const body = { query: followedFigures };
      const opened = { lastId, timeoutMs: streamOpenMsMax, signal };
      return client.stream({ url: address, body, ...opened });
    },
    events: (path, signal) => client.wait<FleetEvents>(path, eventWaitMsMax, signal),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener('abort', end);
        if (signal.aborted) end();
      }),
    nowMs: Date.now,
  };
}

/** Subscriptions are at the same place as events; an older API says nothing of either. */
async function streamAddress(client: Client): Promise<string | null> {
  const health = await client.read<Health>('/v1/health');
  const events = health.ok ? health.value.endpoints?.events : undefined;
  return events !== undefined && URL.canParse(events) ? new URL('/graphql', events).href : null;
}
