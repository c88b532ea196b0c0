/**
 * What a token may be good for. By itself in a file, so that clients can list scopes without
 * loading any schema.
 */
export const scopes = [
  'jobs:read',
  'jobs:write',
  'edges:read',
  'edges:write',
  'edges:enrol',
  'fleet:admin',
] as const;

export type Scope = (typeof scopes)[number];
