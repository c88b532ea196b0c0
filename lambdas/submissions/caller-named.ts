import type { Caller } from '../../core/model/caller.ts';

/** Who asked for what is made later: jobs of theirs are theirs, and nothing else is allowed. */
export function callerNamed(by: string): Caller {
  const [kind = '', id = ''] = by.split(/:(.*)/s);
  const nowhere = { pool: null, queue: null, edge: null, edges: null, scopes: [] };
  return { kind: kind === 'user' ? kind : 'token', id, name: id, ...nowhere };
}
