import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { edgeLinkDeps } from './deps.ts';
import { getSpec } from './get-spec.ts';
import { getWork } from './get-work.ts';
import { putOutput } from './put-output.ts';
import { putReport } from './put-report.ts';

export const edgeLinkOperations = { getWork, putReport, getSpec, putOutput };

/** What edges do over HTTPS, each with its own secret. */
export const handler = serve('edge-link', edgeLinkOperations, onTable(edgeLinkDeps));
