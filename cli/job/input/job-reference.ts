import type { Job, Page } from '../../../core/contract/resources.ts';
import type { Api } from '../../client/api.ts';
import { exitCode } from '../../exit-code.ts';
import { Failure } from '../../failure.ts';
import { lookupJobsMax } from '../../limits.ts';

/**
 * Which job the user means: `last` is the newest one, else a whole id, else the name of a job or
 * the beginning of an id among the newest jobs. Two jobs that fit are refused, not guessed at.
 */
export async function findJobId(api: Api, reference: string): Promise<string> {
  if (reference === 'last') {
    const page: Page<Job> = await api.get('/v1/jobs', { limit: 1 });
    const newest = page.items[0];
    if (newest === undefined) {
      throw new Failure(
        exitCode.notFound,
        'There is no job yet.',
        'Submit one: edgewise submit --power 403',
      );
    }
    return newest.id;
  }
  return reference;
}

/** Runs `use` with the id; when the API knows no such job, looks for it by name or beginning. */
export async function withJob<T>(
  api: Api,
  reference: string,
  use: (id: string) => Promise<T>,
): Promise<T> {
  const id = await findJobId(api, reference);
  try {
    return await use(id);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== exitCode.notFound || reference === 'last') {
      throw error;
    }
    const found = await searchJob(api, reference);
    if (found === null) {
      throw new Failure(
        exitCode.notFound,
        `There is no job "${reference}".`,
        'See: edgewise job list',
      );
    }
    return use(found);
  }
}

async function searchJob(api: Api, reference: string): Promise<string | null> {
  const page: Page<Job> = await api.get('/v1/jobs', { limit: lookupJobsMax });
  const named = page.items.filter((job) => job.name === reference);
  const begun = page.items.filter((job) => job.id.startsWith(reference));
  const fitting = named.length > 0 ? named : begun;
  if (fitting.length > 1) {
    const some = fitting.slice(0, 3).map((job) => job.id);
    throw new Failure(
      exitCode.usage,
      `"${reference}" could be ${fitting.length} jobs.`,
      `For example ${some.join(', ')}. Give the whole id.`,
    );
  }
  return fitting[0]?.id ?? null;
}

export function jobPath(id: string, rest = ''): string {
  return `/v1/jobs/${encodeURIComponent(id)}${rest}`;
}
