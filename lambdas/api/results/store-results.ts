import type { PartsUploadAnswer, UploadAnswer } from '../../../core/contract/files/file-body.ts';
import { resultUploadsBodySchema } from '../../../core/contract/files/result-body.ts';
import { notFound } from '../../../core/contract/problem.ts';
import { fileLooksAtOnce, resultsFreshMs } from '../../../core/files/limits.ts';
import { resultSpaceOf } from '../../../core/files/result-space.ts';
import type { EdgeCaller } from '../../../core/model/caller.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { jobOfEdge } from '../edge-link/given-chunk.ts';
import { storeParts } from '../files/store-parts.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `POST /v1/jobs/{id}/files/uploads`: where an edge puts what its chunks left. Each file of a job
 * is stored once; what another chunk left the same need not be sent.
 */
export const storeResults = defineOperation({
  name: 'storeResults',
  read: (call) => {
    checkQuery(call, []);
    return { id: jobOfPath(call), ...readBody(call, resultUploadsBodySchema) };
  },
  run: async (
    { id, files },
    context,
    deps: Pick<Ports, 'jobs' | 'results'>,
  ): Promise<readonly (UploadAnswer | PartsUploadAnswer)[]> => {
    const { nowMs } = context;
    const caller = context.caller as EdgeCaller;
    const job = await jobOfEdge(id, caller, deps);
    const given = await deps.jobs.executionsOn(caller.edge, [id]);
    const { outputs, outputMb } = job.spec;
    const leavesNothing = outputs === undefined && outputMb === undefined;
    if (given.length === 0 || leavesNothing) throw notFound(`job "${id}"`);
    const space = resultSpaceOf(job);
    const [first] = files;
    if (first?.parts !== undefined) {
      const { sha256, bytes, parts: sums } = first;
      const times = { freshMs: resultsFreshMs, nowMs };
      return [await storeParts(deps.results, space, { sha256, bytes, sums }, times)];
    }
    const fresh = new Set<string>();
    const digests = [...new Set(files.map(({ sha256 }) => sha256))];
    await forEachLimited(digests, fileLooksAtOnce, async (digest) => {
      const found = await deps.results.find(space, digest);
      if (found !== null && nowMs - found.storedAtMs < resultsFreshMs) fresh.add(digest);
    });
    return digests.map((sha256): UploadAnswer => {
      if (fresh.has(sha256)) return { sha256, present: true };
      const { url, headers, expiresAtMs } = deps.results.uploadAddress(space, sha256, nowMs);
      const expiresAt = new Date(expiresAtMs).toISOString();
      return { sha256, present: false, uploadUrl: url, headers: { ...headers }, expiresAt };
    });
  },
  answer: (items) => ({ status: 200, body: { items } }),
});
