import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { enrolDeps } from './deps.ts';
import { enrolEdge } from './enrol-edge.ts';
import { removeEdge } from './remove-edge.ts';

export const enrolOperations = { enrolEdge, removeEdge };

/** Edges come and go here. */
export const handler = serve('enrol', enrolOperations, onTable(enrolDeps));
