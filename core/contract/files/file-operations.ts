import type { Operation } from '../operation.ts';
import { paging } from '../operation.ts';
import type { ProblemCode } from '../problem.ts';
import * as files from './file-body.ts';
import * as results from './result-body.ts';

/** What the operations about files take and answer. */

const ofBody: readonly ProblemCode[] = [
  'invalid-request',
  'body-too-large',
  'unsupported-media-type',
];
const ofFile: readonly ProblemCode[] = ['not-found', 'invalid-request'];
const place = {
  pool: 'whose files; that of the token, or else "default"',
  job: 'the job that needs it; edges name one',
};

export const fileOperations: Readonly<Record<string, Operation>> = {
  storeFile: {
    summary: 'Say what a file is, and hear where to put it unless it is there',
    tag: 'files',
    body: { schema: files.fileBodySchema },
    answers: {
      200: files.storedFileSchema,
      201: files.fileUploadSchema,
    },
    problems: ofBody,
  },
  storeFiles: {
    summary: 'The same for many files',
    tag: 'files',
    body: { schema: files.uploadsBodySchema },
    answers: { 200: files.uploadsSchema },
    problems: ofBody,
  },
  findMissing: {
    summary: 'Say which files are not there',
    tag: 'files',
    body: { schema: files.missingBodySchema },
    answers: { 200: files.missingSchema },
    problems: ofBody,
  },
  findAddresses: {
    summary: 'Say where files can be read',
    tag: 'files',
    body: { schema: files.addressesBodySchema },
    answers: { 200: files.addressesSchema },
    problems: [...ofBody, 'not-found'],
  },
  headFile: {
    summary: 'Say whether a file is there',
    tag: 'files',
    query: place,
    answers: { 200: null },
    problems: ofFile,
  },
  getFile: {
    summary: 'Read a file, at the address that is answered',
    tag: 'files',
    query: place,
    answers: { 302: null },
    problems: ofFile,
  },
  listResults: {
    summary: 'The files that chunks of a job left, by chunk and path',
    tag: 'files',
    query: {
      chunk: 'only of this chunk',
      prefix: 'only those whose path begins like this',
      ...paging,
    },
    answers: { 200: results.resultFileListSchema },
    problems: ofFile,
  },
  getResult: {
    summary: 'Read a file that a chunk left, at the address that is answered',
    tag: 'files',
    query: { chunk: 'whose; a job of one chunk needs none' },
    answers: { 302: null },
    problems: ofFile,
  },
  storeResults: {
    summary: 'Where an edge puts files of chunks that it was given',
    tag: 'files',
    body: { schema: results.resultUploadsBodySchema },
    answers: { 200: files.resultUploadsSchema },
    problems: [...ofBody, 'not-found'],
  },
  putResult: {
    summary: 'Say which files an attempt of a chunk left, when they are stored',
    tag: 'files',
    body: { schema: results.resultBodySchema },
    answers: { 204: null },
    problems: [...ofBody, 'not-found', 'forbidden', 'input-missing'],
  },
};
