import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';

/** Things that a recipe makes in order to remove them. */
type Make = (things: unknown, api: ApiStage) => Promise<ApiAnswer>;

let made = 0;

export function putAndRemove(kind: string): Make {
  return async (_, api) => {
    const path = `/v1/${kind}/spare-${++made}`;
    await api.request('PUT', path, { body: {} });
    return api.request('DELETE', path);
  };
}

export function spareEdge(request: (name: string) => [string, string]): Make {
  return async (_, api) => {
    const name = `spare-${++made}`;
    await api.request('POST', '/v1/edges', { body: { name, capacity: { power: 5 } } });
    return api.request(...request(name));
  };
}
