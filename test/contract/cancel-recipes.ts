import type { ApiStage } from '../lambdas/api/api-stage.ts';

type Things = { readonly cancelledJob: string };

/** Jobs that their users end, and chunks of them. */
export const cancelSuccesses = {
  cancelJob: {
    202: async (_: Things, api: ApiStage) => {
      const { json } = await api.request('POST', '/v1/jobs', { body: {} });
      return api.request('DELETE', `/v1/jobs/${json.id}`);
    },
    200: (things: Things, api: ApiStage) =>
      api.request('DELETE', `/v1/jobs/${things.cancelledJob}`),
    204: async (_: Things, api: ApiStage) => {
      const { json } = await api.request('POST', '/v1/jobs', { body: {} });
      await api.request('DELETE', `/v1/jobs/${json.id}`);
      await api.settle();
      return api.request('DELETE', `/v1/jobs/${json.id}?purge=true`);
    },
  },
  cancelChunks: {
    202: async (_: Things, api: ApiStage) => {
      const { json } = await api.request('POST', '/v1/jobs', { body: {} });
      return api.request('DELETE', `/v1/jobs/${json.id}/chunks?ranges=0`);
    },
    200: (things: Things, api: ApiStage) =>
      api.request('DELETE', `/v1/jobs/${things.cancelledJob}/chunks?ranges=0`),
  },
};
