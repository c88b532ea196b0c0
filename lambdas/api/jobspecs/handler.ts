import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { submitDeps } from '../jobs-write/deps.ts';
import { submitJobspec } from './submit-jobspec.ts';

export const jobspecsOperations = { submitJobspec };

/** Jobspecs apart from jobs, because reading YAML weighs more than all else of a submission. */
export const handler = serve('jobspecs', jobspecsOperations, onTable(submitDeps));
