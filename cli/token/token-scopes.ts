export const scopes = [
  'jobs:read',
  'jobs:write',
  'edges:read',
  'edges:write',
  'edges:enrol',
  'fleet:admin',
] as const;
