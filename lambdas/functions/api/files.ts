import { createJobsStore } from '../../../adapters/dynamodb/jobs/jobs-store.ts';
import { createFiles, createResultFiles } from '../../../adapters/s3/files.ts';
import { findAddresses } from '../../api/files/find-addresses.ts';
import { findMissing } from '../../api/files/find-missing.ts';
import { getFile, headFile } from '../../api/files/get-file.ts';
import { storeFile, storeFiles } from '../../api/files/store-file.ts';
import { serve } from '../../api/http/serve.ts';
import { onTable } from '../../api/http/table-deps.ts';
import { getResult } from '../../api/results/get-result.ts';
import { listResults } from '../../api/results/list-results.ts';
import { storeResults } from '../../api/results/store-results.ts';
import { requiredEnv } from '../../environment.ts';

export const filesOperations = {
  storeFile,
  storeFiles,
  findMissing,
  findAddresses,
  headFile,
  getFile,
  listResults,
  getResult,
  storeResults,
};

const ports = onTable({
  jobs: createJobsStore,
  files: () => createFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
  results: () => createResultFiles({ bucket: requiredEnv('OUTPUTS_BUCKET') }),
});

/** Says where files are put and read; the bytes never come here. */
export const handler = serve('files', filesOperations, ports);
