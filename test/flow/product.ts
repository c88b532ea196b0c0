import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Chunk, Job, Page, Stats } from '../../core/contract/resources.ts';
import { type Client, startClient } from './cli/client.ts';
import { makePlace } from './start/place.ts';
import { askApi, type Place, root, type Stage, until } from './start/stage.ts';

/**
 * The whole product on one machine: the local cloud as its own process, agents started with the
 * client as a user starts them, and the HTTP API. Nothing of it is replaced.
 */
export type Product = {
  readonly place: Place;
  startCloud(...flags: string[]): Promise<Stage>;
  /** `edgewise agent --name NAME …` on a data directory of that name. */
  startAgent(name: string, ...flags: string[]): Client;
  submit(body: object): Promise<Job>;
  job(id: string): Promise<Job>;
  chunks(id: string): Promise<readonly Chunk[]>;
  stats(): Promise<Stats>;
  /** The job once this is true of it. */
  jobWhen(id: string, what: string, is: (job: Job) => boolean, timeoutMs?: number): Promise<Job>;
  done(id: string, timeoutMs?: number): Promise<Job>;
  untilConnected(edges: number): Promise<void>;
  remove(): Promise<void>;
};

const doneMsMax = 60_000;

export async function makeProduct(): Promise<Product> {
  const place = await makePlace();
  const agents: Client[] = [];
  const job = (id: string): Promise<Job> => askApi<Job>(place, `/v1/jobs/${id}`);
  const stats = (): Promise<Stats> => askApi<Stats>(place, '/v1/stats');
  const jobWhen: Product['jobWhen'] = async (id, what, is, timeoutMs = doneMsMax) => {
    let last: Job | null = null;
    const found = until(
      `${id} is ${what}`,
      async () => {
        last = await job(id).catch(() => null);
        return last?.status !== undefined && is(last) ? last : null;
      },
      timeoutMs,
    );
    return found.catch((error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(last)}${hints(place)}`);
    });
  };
  return {
    place,
    startCloud: (...flags) => place.cloud(...flags),
    startAgent: (name, ...flags) => {
      const data = join(place.directory, 'agents', name);
      const agent = startClient(place.directory, [
        'agent',
        '--name',
        name,
        '--data',
        data,
        ...flags,
      ]);
      agents.push(agent);
      return agent;
    },
    submit: async (body) => {
      const answer = await askApi<Job>(place, '/v1/jobs', {
        method: 'POST',
        body: JSON.stringify(body),
      });
      if (answer.status?.state === undefined) throw new Error(JSON.stringify(answer));
      return answer;
    },
    job,
    chunks: async (id) =>
      (await askApi<Page<Chunk>>(place, `/v1/jobs/${id}/chunks?limit=500`)).items,
    stats,
    jobWhen,
    done: (id, timeoutMs) =>
      jobWhen(id, 'done', ({ status }) => status.state === 'done', timeoutMs),
    untilConnected: async (edges) => {
      const connected = until(`${edges} edges are connected`, async () => {
        const { edges: now } = await stats();
        return (now?.connected ?? 0) >= edges;
      });
      await connected.catch((error: Error) => {
        const said = agents.map((agent) => agent.text()).join('');
        throw new Error(`${error.message}; they said:\n${said}${hints(place)}`);
      });
    },
    remove: async () => {
      for (const agent of agents) agent.process.kill('SIGTERM');
      await place.remove();
    },
  };
}

/** What a refusal would explain. */
function hints(place: Place): string {
  const denied = [...new Set(place.denials().map((line) => line.slice(line.indexOf(' ') + 1)))];
  return denied.length === 0 ? '' : `\nThe policies of the template refused:\n${denied.join('\n')}`;
}

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;

/** A copy of the synthesized app with a changed template; its functions stay where they are. */
export function editedApp(place: Place, edit: (resources: Resources) => void): string {
  const source = join(root, 'cdk.out');
  const ensure = 'const { ensureSynthesis } = await import("./scripts/setup/synthesis.mjs");';
  const words = ['--input-type=module', '-e', `${ensure} await ensureSynthesis();`];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root });
  if (status !== 0) throw new Error(String(stderr));
  const directory = mkdtempSync(join(place.directory, 'app-'));
  const template = JSON.parse(readFileSync(join(source, 'Edgewise.template.json'), 'utf8'));
  edit(template.Resources);
  writeFileSync(join(directory, 'Edgewise.template.json'), JSON.stringify(template));
  copyFileSync(join(source, 'Edgewise.assets.json'), join(directory, 'Edgewise.assets.json'));
  for (const name of readdirSync(source).filter((entry) => entry.startsWith('asset.'))) {
    symlinkSync(join(source, name), join(directory, name));
  }
  return directory;
}
