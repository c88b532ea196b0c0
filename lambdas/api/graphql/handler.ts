import { serve } from '../http/serve.ts';
import { onTable } from '../http/table-deps.ts';
import { graphDeps } from './deps.ts';
import { postGraphql } from './post-graphql.ts';

export const graphqlOperations = { postGraphql };

/** The fleet as a graph. */
export const handler = serve('graphql', graphqlOperations, onTable(graphDeps));
