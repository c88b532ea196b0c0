/** Starts one server per address of a function. */
import type { Server } from 'node:http';
import { close, listen, type Ports } from '../../../engine/ports.ts';
import type { World } from '../../../world.ts';
import type { LambdaService } from '../service.ts';
import { functionUrlServer } from './server.ts';

export async function startFunctionUrls({
  world,
  lambda,
  ports,
}: {
  readonly world: World;
  readonly lambda: LambdaService;
  readonly ports: Ports;
}): Promise<{ close(): Promise<void> }> {
  const servers: Server[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers) await close(server);
  };
  try {
    for (const { functionArn, cors } of world.functionUrls) {
      const definition = lambda.find(functionArn);
      if (definition === undefined) throw new Error(`no function ${functionArn}`);
      const { isKnownHost } = world;
      const server = functionUrlServer({ definition, cors, isKnownHost, invoke: lambda.invoke });
      await listen(server, ports.functionUrl(servers.length));
      servers.push(server);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { close: stop };
}
