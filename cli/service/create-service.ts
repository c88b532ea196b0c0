import { randomUUID } from 'node:crypto';
import type { Job } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { readSpecFile } from '../input/spec-file.ts';
import { buildJob, type JobBody, jobFlags } from '../job/input/job-flags.ts';
import { findJobId, jobPath } from '../job/input/job-reference.ts';
import { type ReachedFlags, reachedBy, reachedFlags } from './reached-flags.ts';
import { isWorkload, serviceOfWorkload } from './workload-file.ts';

/** As of a job: only the id goes to stdout. */
export const command = defineCommand({
  name: 'service create',
  about: 'keep so many instances of a program running; prints the id',
  args: [],
  rest: 'PROGRAM ARGS…',
  flags: {
    ...jobFlags,
    replicas: { kind: 'number', short: 'r', value: 'N', min: 0, about: 'how many instances (1)' },
    restart: {
      kind: 'text',
      value: 'POLICY',
      choices: ['always', 'on-failure', 'never'],
      about: 'which ends are answered by a new start: always, on-failure, never',
    },
    everywhere: { kind: 'switch', about: 'one on each edge that matches, now and later' },
    until: {
      kind: 'text',
      value: 'WHEN',
      choices: ['all-now', 'forever'],
      about: 'everywhere: over when all edges of now are done, or never (forever)',
      rare: true,
    },
    'on-cordoned': { kind: 'switch', about: 'everywhere: cordoned edges too', rare: true },
    'unique-name': { kind: 'switch', about: 'refused while another of its name lives' },
    ...reachedFlags,
    'stop-grace': { kind: 'number', value: 'S', min: 0, about: 'seconds to stop in', rare: true },
    id: { kind: 'text', value: 'ID', about: 'create or scale the service of this id', rare: true },
  },
  examples: [
    'edgewise service create --name web --replicas 3 --image nginx:1',
    'edgewise service create --name web --image nginx:1 --port http:80 --ready-http http/',
    'edgewise service create --replicas 2 --chunk-power 10 -- sh -c "exec httpd -f"',
    'edgewise service create --file workload.json',
    'edgewise service create --everywhere --name web --image nginx:1',
    'edgewise service create --everywhere --restart never --until all-now -- sh setup.sh',
  ],
  async run({ flags, rest, api, output, terminal }) {
    const client = api();
    const read = flags.file === undefined ? {} : await readSpecFile(terminal, flags.file);
    const file = isWorkload(read) ? serviceOfWorkload(read) : read;
    const after = await Promise.all(flags.after.map((job) => findJobId(client, job)));
    const isBound = flags.everywhere || file.kind === 'everywhere';
    const size = file.chunks === undefined && !isBound ? 1 : undefined;
    const chunks = flags.replicas ?? flags.chunks ?? size;
    const kind = isBound ? 'everywhere' : 'service';
    const body = { ...buildJob({ ...flags, after, chunks }, rest, file), kind };
    const service = await send(client, withService(body, flags), flags.id);
    output.single(service, service.id, () => `${service.id}\n`);
    terminal.say(`  its instances  edgewise service get ${service.id}`);
    terminal.say(`  until ready    edgewise service wait ${service.id}`);
    if (!isBound) terminal.say(`  more or fewer  edgewise service scale ${service.id} N`);
    terminal.say(`  stop it        edgewise service delete ${service.id}`);
    return exitCode.ok;
  },
});

type ServiceFlags = ReachedFlags & {
  readonly restart: string | undefined;
  readonly 'stop-grace': number | undefined;
  readonly until: string | undefined;
  readonly 'on-cordoned': boolean;
  readonly 'unique-name': boolean;
};

function withService(body: JobBody, flags: ServiceFlags): JobBody {
  const { restart, 'stop-grace': stopGraceSeconds } = flags;
  const known = (body.restart ?? {}) as object;
  return {
    ...body,
    ...(restart !== undefined && { restart: { ...known, policy: restart } }),
    ...reachedBy(flags),
    ...(stopGraceSeconds !== undefined && { stopGraceSeconds }),
    ...(flags.until !== undefined && { until: flags.until }),
    ...(flags['on-cordoned'] && { onCordoned: true }),
    ...(flags['unique-name'] && { uniqueName: true }),
  };
}

async function send(client: Api, body: JobBody, id: string | undefined): Promise<Job> {
  if (id !== undefined) return (await client.ask<Job>('PUT', jobPath(id), { body })).body;
  const headers = { 'idempotency-key': randomUUID() };
  return (await client.ask<Job>('POST', '/v1/jobs', { body, headers })).body;
}
