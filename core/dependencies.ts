import type { JobId } from './names.ts';

/**
 * Whether a job may depend on others: they exist, there are not too many, and nobody waits for itself. Checked at
 * submit against the dependencies that are stored; a parent that ended is as good as any.
 */
export type DependencyCheck =
  | { readonly kind: 'fine' }
  | { readonly kind: 'unknown'; readonly ids: readonly JobId[] }
  | { readonly kind: 'cycle'; readonly path: readonly JobId[] };

/** `dependsOnOf` answers what a stored job depends on, `null` when there is no such job. */
export function checkDependencies(
  id: JobId,
  dependsOn: readonly JobId[],
  dependsOnOf: (job: JobId) => readonly JobId[] | null,
): DependencyCheck {
  const unknown = dependsOn.filter((parent) => parent !== id && dependsOnOf(parent) === null);
  if (unknown.length > 0) return { kind: 'unknown', ids: unknown };
  const path = pathBack(id, dependsOn, dependsOnOf);
  return path === null ? { kind: 'fine' } : { kind: 'cycle', path: [id, ...path] };
}

/** A way from the parents back to the job itself; each job is looked at once. */
function pathBack(
  id: JobId,
  dependsOn: readonly JobId[],
  dependsOnOf: (job: JobId) => readonly JobId[] | null,
): readonly JobId[] | null {
  const cameFrom = new Map<JobId, JobId | null>(dependsOn.map((parent) => [parent, null]));
  const open = [...dependsOn];
  for (let job = open.pop(); job !== undefined; job = open.pop()) {
    if (job === id) {
      const path: JobId[] = [];
      for (let at: JobId | null = job; at !== null; at = cameFrom.get(at) ?? null) path.unshift(at);
      return path;
    }
    for (const parent of dependsOnOf(job) ?? []) {
      if (cameFrom.has(parent)) continue;
      cameFrom.set(parent, job);
      open.push(parent);
    }
  }
  return null;
}
