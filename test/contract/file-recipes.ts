import { createHash } from 'node:crypto';
import { formatManifest } from '../../core/files/manifest.ts';
import type { ApiAnswer, ApiRequest, ApiStage } from '../lambdas/api/api-stage.ts';

/** What the recipes know of files: one that is stored, and one that is not. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
export const sentFile = { sha256: digestOf('sent'), bytes: 4 };
export const newFile = { sha256: digestOf('new'), bytes: 3 };
const both = [sentFile.sha256, newFile.sha256];

export async function storeSentFile(api: ApiStage): Promise<void> {
  const { json } = await api.request('POST', '/v1/files', { body: sentFile });
  const address = { url: json.uploadUrl, headers: json.headers };
  api.services.files.put(address, Buffer.from('sent'));
}

/** What the first chunk of a job left: one file, of the same content. */
const list = formatManifest({
  files: [{ path: 'a.csv', ...sentFile, isExecutable: false }],
  links: [],
});
export const sentResult = {
  manifest: digestOf(list),
  ...{ files: 1, bytes: sentFile.bytes, attempt: 1, done: true },
};

export async function storeSentResult(api: ApiStage, job: string, token: string): Promise<void> {
  for (const text of ['sent', list]) {
    const files = [{ sha256: digestOf(text), bytes: Buffer.byteLength(text) }];
    const path = `/v1/jobs/${job}/files/uploads`;
    const { json } = await api.request('POST', path, { token, body: { files } });
    const [{ uploadUrl: url, headers }] = json.items;
    api.services.results.put({ url, headers }, Buffer.from(text));
  }
  await api.request('PUT', `/v1/jobs/${job}/chunks/0/files`, { token, body: sentResult });
}

type Make = (things: unknown, api: ApiStage) => Promise<ApiAnswer>;

const call =
  (method: string, path: string, request: ApiRequest = {}): Make =>
  (_, api) =>
    api.request(method, path, request);

export const fileSuccesses: Readonly<Record<string, Readonly<Record<number, Make>>>> = {
  storeFile: {
    200: call('POST', '/v1/files', { body: sentFile }),
    201: call('POST', '/v1/files', { body: newFile }),
  },
  storeFiles: { 200: call('POST', '/v1/files/uploads', { body: { files: [sentFile, newFile] } }) },
  findMissing: { 200: call('POST', '/v1/files/missing', { body: { sha256: both } }) },
  findAddresses: { 200: call('POST', '/v1/files/addresses', { body: { sha256: both } }) },
  headFile: { 200: call('HEAD', `/v1/files/${sentFile.sha256}`) },
  getFile: { 302: call('GET', `/v1/files/${sentFile.sha256}`) },
};

type OfJob = { readonly openJob: string; readonly edgeSecret: string };
type MakeOfJob = (things: OfJob, api: ApiStage) => Promise<ApiAnswer>;

const ofJob =
  (method: string, path: string, body?: unknown): MakeOfJob =>
  ({ openJob, edgeSecret }, api) =>
    api.request(method, `/v1/jobs/${openJob}/${path}`, {
      ...(body === undefined ? {} : { body, token: edgeSecret }),
    });

export const resultSuccesses: Readonly<Record<string, Readonly<Record<number, MakeOfJob>>>> = {
  listResults: { 200: ofJob('GET', 'files') },
  getResult: { 302: ofJob('GET', 'files/a.csv?chunk=0') },
  storeResults: { 200: ofJob('POST', 'files/uploads', { files: [newFile] }) },
  putResult: { 204: ofJob('PUT', 'chunks/0/files', sentResult) },
};

/** Its list is not there. */
export const lostResult = ofJob('PUT', 'chunks/0/files', {
  ...sentResult,
  manifest: newFile.sha256,
});
