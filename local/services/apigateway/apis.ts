/** Starts one server per HTTP API of the template. */
import { join } from 'node:path';
import { close, listen, type Ports } from '../../engine/ports.ts';
import type { World } from '../../world.ts';
import type { LambdaService } from '../lambda/service.ts';
import { type AccessLog, accessLog } from './access-log.ts';
import { type ApiCounters, httpApi } from './server.ts';

export type HttpApis = {
  /** By the API's id. */
  counters(): Record<string, Readonly<ApiCounters>>;
  close(): Promise<void>;
};

export type HttpApisOptions = {
  world: World;
  lambda: LambdaService;
  ports: Ports;
  log(line: string): void;
};

export async function startHttpApis(options: HttpApisOptions): Promise<HttpApis> {
  const { world, lambda, ports, log } = options;
  const started: { id: string; api: ReturnType<typeof httpApi>; accessLog?: AccessLog }[] = [];
  const stop = async (): Promise<void> => {
    for (const { api, accessLog: lines } of started) {
      await close(api.server);
      await lines?.close();
    }
  };
  try {
    for (const definition of world.apis.values()) {
      const settings = definition.stage?.accessLog;
      const lines =
        settings === undefined
          ? undefined
          : accessLog(join(world.stateDir, 'logs'), settings.logGroup, settings.format);
      const api = httpApi({
        account: world.account,
        definition,
        isKnownHost: world.isKnownHost,
        find: (functionArn) => lambda.find(functionArn),
        invoke: (target, payload) => lambda.invoke(target, payload),
        accessLog: lines,
        log,
      });
      const index = started.length;
      await listen(api.server, index === 0 ? ports.api : ports.moreApis(index));
      started.push({
        id: definition.id,
        api,
        ...(lines === undefined ? {} : { accessLog: lines }),
      });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    counters: () => Object.fromEntries(started.map(({ id, api }) => [id, { ...api.counters }])),
    close: stop,
  };
}
