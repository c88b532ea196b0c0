import type { Job } from '../../core/contract/resources.ts';
import type { Run } from '../../core/model/job.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parsePairs } from '../input/pairs.ts';
import { readSpecFile } from '../input/spec-file.ts';
import { buildJob, type JobBody, type JobFlagValues, jobFlags } from '../job/input/job-flags.ts';
import { findJobId, jobPath } from '../job/input/job-reference.ts';
import { reachedBy, reachedFlags } from './reached-flags.ts';
import { rolloutText } from './service-view.ts';
import { isWorkload, serviceOfWorkload } from './workload-file.ts';

/** What the flags do not name stays as it is. */
export const command = defineCommand({
  name: 'service update',
  about: 'bring a service to another program, image or requirement, instance by instance',
  args: [{ name: 'SERVICE', noun: 'job' }],
  rest: 'PROGRAM ARGS…',
  flags: {
    file: jobFlags.file,
    image: jobFlags.image,
    env: jobFlags.env,
    resource: jobFlags.resource,
    require: jobFlags.require,
    ...reachedFlags,
    'max-unavailable': { kind: 'number', value: 'N', min: 1, about: 'away at once (1)' },
    'min-ready': { kind: 'number', value: 'S', min: 0, about: 'ready for so long, then the next' },
    'fail-after': { kind: 'number', value: 'S', min: 1, about: 'seconds without progress' },
    'on-failure': {
      kind: 'text',
      value: 'WHAT',
      choices: ['pause', 'rollback'],
      about: 'when an instance ends or is not ready in time: pause, rollback',
    },
  },
  examples: [
    'edgewise service update last --image nginx:2',
    'edgewise service update last --max-unavailable 5 --image nginx:2',
    'edgewise service update last -- sh -c "exec httpd -f -p 81"',
  ],
  async run({ args, flags, rest, api, output, terminal }) {
    const client = api();
    const id = await findJobId(client, args[0]!);
    const before = await client.get<Job>(jobPath(id));
    const read = flags.file === undefined ? {} : await readSpecFile(terminal, flags.file);
    const file = isWorkload(read) ? serviceOfWorkload(read) : read;
    const { resource, require } = flags;
    const asked = buildJob({ ...noFlags, resource, require }, null, {
      ...bodyOf(before),
      ...file,
      kind: before.spec.kind,
    });
    const run = runOf((file.run ?? before.spec.run) as Run, flags, rest ?? []);
    const body = { ...asked, run, ...reachedBy(flags), update: updateOf(before, flags) };
    const { body: service } = await client.ask<Job>('PUT', jobPath(before.id), { body });
    if (service.generation === before.generation) terminal.say('  nothing of it changes');
    output.single(service, service.id, () => `${service.id} ${rolloutText(service)}\n`);
    return exitCode.ok;
  },
});

/** Of a job, none. */
const noFlags = Object.fromEntries(
  Object.entries(jobFlags).map(([name, { kind }]) => {
    return [name, kind === 'list' ? [] : kind === 'switch' ? false : undefined];
  }),
) as unknown as JobFlagValues;

type Program = { readonly image: string | undefined; readonly env: readonly string[] };

/** What is not said of the program stays: its image, its arguments, its environment. */
function runOf(before: Run, { image, env }: Program, argv: readonly string[]): object {
  const more = parsePairs(env, 'env');
  const words = argv.length > 0 ? { argv } : {};
  if ('pod' in before && (image !== undefined || env.length > 0 || argv.length > 0)) {
    const remedy = 'Change it in a file: edgewise service update SERVICE --file FILE';
    throw usage('These flags are of one container, and the service is a pod.', remedy);
  }
  const added = (of: JobBody): JobBody => {
    return Object.keys(more).length > 0 ? { ...of, env: { ...(of.env as object), ...more } } : of;
  };
  if (image !== undefined || 'container' in before) {
    const container = 'container' in before ? before.container : {};
    const named = image === undefined ? {} : { image };
    return { container: added({ ...container, ...named, ...words }) };
  }
  if ('process' in before) return { process: added({ ...before.process, ...words }) };
  return argv.length > 0 ? { process: added({ argv }) } : before;
}

/** The body of which this is the spec. */
function bodyOf({ name, spec }: Job): JobBody {
  if (spec.kind === 'batch') throw usage('Only a service is updated.');
  const { everywhere, chunks, ...rest } = spec;
  const size = everywhere === undefined ? { chunks } : everywhere;
  const entries = Object.entries({ ...rest, ...size, name });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

type UpdateFlags = {
  readonly 'max-unavailable': number | undefined;
  readonly 'min-ready': number | undefined;
  readonly 'fail-after': number | undefined;
  readonly 'on-failure': string | undefined;
};

function updateOf({ spec }: Job, flags: UpdateFlags): object {
  const asked = {
    maxUnavailable: flags['max-unavailable'],
    minReadySeconds: flags['min-ready'],
    failAfterSeconds: flags['fail-after'],
    onFailure: flags['on-failure'],
  };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return { ...spec.update, ...Object.fromEntries(given) };
}
