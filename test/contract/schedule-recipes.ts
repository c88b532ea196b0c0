import type { ApiAnswer, ApiStage } from '../lambdas/api/api-stage.ts';

/** How to bring about every documented answer about schedules. */
type Make = (things: unknown, api: ApiStage) => Promise<ApiAnswer>;

let fresh = 0;

async function withSchedule(api: ApiStage): Promise<string> {
  const name = `nightly-${++fresh}`;
  await api.request('POST', '/v1/schedules', { body: { name, cron: '@daily', job: {} } });
  return `/v1/schedules/${name}`;
}

const of =
  (method: string, rest = '', body?: unknown): Make =>
  async (_, api) =>
    api.request(method, `${await withSchedule(api)}${rest}`, body === undefined ? {} : { body });

export const scheduleSuccesses: Readonly<Record<string, Readonly<Record<number, Make>>>> = {
  createSchedule: {
    201: (_, api) => {
      const body = { name: `every-${++fresh}`, everySeconds: 3_600, job: { power: 5 } };
      return api.request('POST', '/v1/schedules', { body });
    },
  },
  listSchedules: { 200: (_, api) => api.request('GET', '/v1/schedules') },
  getSchedule: {
    200: of('GET'),
    304: async (_, api) => {
      const path = await withSchedule(api);
      const { headers } = await api.request('GET', path);
      return api.request('GET', path, { headers: { 'if-none-match': headers.etag ?? '' } });
    },
  },
  patchSchedule: { 200: of('PATCH', '', { paused: true }) },
  removeSchedule: { 204: of('DELETE') },
  runSchedule: { 202: of('POST', '/run') },
  listScheduleRuns: { 200: of('GET', '/runs') },
};

/** A second one of the same name. */
export const scheduleClash: Make = async (_, api) => {
  const name = (await withSchedule(api)).split('/').at(-1);
  return api.request('POST', '/v1/schedules', { body: { name, cron: '@daily', job: {} } });
};

/** One whose file nobody has stored. */
export function scheduleOfNothing(api: ApiStage): Promise<ApiAnswer> {
  const job = { inputs: [{ path: 'x', sha256: '0'.repeat(64) }] };
  return api.request('POST', '/v1/schedules', { body: { name: 'x', cron: '@daily', job } });
}
