/** Starts one server per distribution of the template. */
import type { Server } from 'node:http';
import { close, listen, type Ports } from '../../engine/ports.ts';
import type { World } from '../../world.ts';
import { siteServer } from './server.ts';

export async function startSites(world: World, ports: Ports): Promise<{ close(): Promise<void> }> {
  const servers: Server[] = [];
  const { roles, queues: buckets, isKnownHost } = world;
  const stop = async (): Promise<void> => {
    for (const server of servers) await close(server);
  };
  try {
    for (const definition of world.distributions) {
      const server = siteServer({ definition, roles, buckets, isKnownHost });
      await listen(server, ports.site(servers.length));
      servers.push(server);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { close: stop };
}
