import type { JobState } from '../../cli/client/resources.ts';
import { page, problem, type Reply, type Request } from './api-double-reply.ts';
import { addJob, type ShownJob, statusOf, type World } from './api-double-world.ts';

/** The job half of the double. */
export function answerJobs(world: World, request: Request): Reply {
  const { method, segments } = request;
  const [noun, id, what, n, part] = segments;
  if (noun === 'plan') return plan(request);
  if (noun === 'jobspecs') return { status: 202, body: addJob(world, { name: 'spec' }, 'pending') };
  if (id === undefined) return method === 'POST' ? submit(world, request) : list(world, request);
  const job = world.jobs.get(id);
  if (method === 'PUT') return put(world, request, id);
  if (job === undefined) return problem(404, 'not-found', `There is no job ${id}.`);
  if (what === undefined) return single(world, request, job);
  if (what === 'retry') return retry(world, job);
  if (what === 'explain') return { status: 200, body: { reasons: job.status.waiting ?? [] } };
  if (what === 'executions') return page(job.status.executions ?? [], request.query);
  if (what === 'events') return page(eventsOf(job), request.query);
  const chunks = world.chunks.get(job.id) ?? [];
  const state = request.query.get('state');
  if (n === undefined) {
    const fitting = chunks.filter((chunk) => state === null || chunk.state === state);
    return page(fitting, request.query);
  }
  const chunk = chunks.find((one) => one.chunk === Number(n));
  if (chunk === undefined) return problem(404, 'not-found', `The job has no chunk ${n}.`);
  if (part === undefined) return { status: 200, body: chunk };
  if (chunk.state !== 'dead') return problem(404, 'not-found', 'No output is kept.');
  return { status: 200, text: 'reading input\nfatal: disk full\n' };
}

function submit(world: World, { body, headers }: Request): Reply {
  const key = headers['idempotency-key'];
  if (key === 'reused') {
    return problem(422, 'idempotency-key-reused', 'The key was used with another body.');
  }
  if (key === 'in-flight') return problem(409, 'conflict', 'The first request is still in flight.');
  if ('colour' in body) {
    return problem(400, 'invalid-request', 'The job is not valid.', [
      { pointer: '/colour', message: 'unknown field' },
    ]);
  }
  const job = addJob(world, body, 'pending');
  const requires = body.requires as { edges?: string[]; labels?: object } | undefined;
  const argv = (body.run as { process?: { argv: string[] } } | undefined)?.process?.argv ?? [];
  const stuck = requires?.edges?.includes('nowhere') === true || requires?.labels !== undefined;
  const last: JobState = argv[0] === 'false' ? 'failed' : 'done';
  world.steps.set(job.id, stuck ? [] : ['pending', 'running', 'running', last]);
  // The first look of the scheduler has not happened yet.
  const fresh = { ...job, status: { ...job.status, waiting: [] } };
  if (!stuck) world.jobs.set(job.id, fresh);
  return { status: 202, body: fresh };
}

function list(world: World, { query }: Request): Reply {
  const state = query.get('state');
  const jobs = [...world.jobs.values()].reverse();
  const fitting = jobs.filter((job) => {
    const labels = query.getAll('label').every((pair) => {
      const [key = '', value] = pair.split('=');
      return job.spec.labels?.[key] === value;
    });
    return labels && (state === null || job.status.state === state);
  });
  return page(fitting, query);
}

function put(world: World, { body, headers }: Request, id: string): Reply {
  if (headers['if-none-match'] === '*' && world.jobs.has(id)) {
    return problem(412, 'precondition-failed', `Job ${id} exists.`);
  }
  const made = addJob(world, body, 'pending');
  world.jobs.delete(made.id);
  const job = { ...made, id };
  world.jobs.set(id, job);
  return { status: 202, body: job };
}

function single(world: World, request: Request, job: ShownJob): Reply {
  if (request.method === 'DELETE') {
    if (request.query.get('purge') === 'true') {
      world.jobs.delete(job.id);
      return { status: 200, body: job };
    }
    return { status: 202, body: setState(world, job, 'cancelled') };
  }
  if (request.method === 'PATCH') {
    const changed = { ...job, spec: { ...job.spec, ...request.body } };
    world.jobs.set(job.id, changed);
    return { status: 200, body: changed };
  }
  const next = world.steps.get(job.id)?.shift();
  const now = next === undefined ? job : setState(world, job, next);
  return { status: 200, body: now, headers: { etag: '"1"' } };
}

function setState(world: World, job: ShownJob, state: JobState): ShownJob {
  const total = job.status.chunks.total;
  const status = statusOf(state, total, Number(job.spec.power));
  const changed = { ...job, status: state === 'pending' ? { ...status, waiting: [] } : status };
  world.jobs.set(job.id, changed);
  return changed;
}

function retry(world: World, job: ShownJob): Reply {
  if (job.status.chunks.dead === 0) return problem(409, 'conflict', 'No chunk of it has failed.');
  world.steps.set(job.id, ['running', 'done']);
  return { status: 202, body: setState(world, job, 'pending') };
}

function plan({ body }: Request): Reply {
  const requires = body.requires as { edges?: string[] } | undefined;
  if (requires?.edges?.includes('nowhere')) {
    const waiting = [{ reason: 'no-edges', chunks: 4, edges: 0, detail: 'No edge is called so.' }];
    return { status: 200, body: { feasible: false, placements: [], waiting } };
  }
  const placements = [
    { edge: 'edge-10', cell: 'default.0', chunks: 2, power: 200 },
    { edge: 'edge-11', cell: 'default.0', chunks: 2, power: 203 },
  ];
  return { status: 200, body: { feasible: true, placements, waiting: [] } };
}

function eventsOf(job: ShownJob): unknown[] {
  const at = job.status.endedAt ?? job.createdAt;
  return [
    { at: job.createdAt, kind: 'submitted', by: job.createdBy, detail: 'Submitted with 4 chunks.' },
    { at, kind: job.status.state, by: 'scheduler', detail: `The job is ${job.status.state}.` },
  ];
}
