import type { Api } from '../../client/api.ts';
import { readSpecFile } from '../../input/spec-file.ts';
import type { Terminal } from '../../terminal.ts';
import { buildJob, type JobBody, type JobFlagValues } from './job-flags.ts';
import { findJobId } from './job-reference.ts';

/** The job that a command describes: its file, then its flags, then the program after `--`. */
export async function readJob(
  client: Api,
  terminal: Terminal,
  flags: JobFlagValues,
  rest: readonly string[] | null,
): Promise<JobBody> {
  const file = flags.file === undefined ? {} : await readSpecFile(terminal, flags.file);
  const after = await Promise.all(flags.after.map((job) => findJobId(client, job)));
  return buildJob({ ...flags, after }, rest, file);
}
