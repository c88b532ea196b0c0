import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoints } from '../product/local-cloud.ts';

/** A client that submits jobs of one short chunk, and sees what became of them. */
const short = JSON.stringify({ chunks: 1, run: { simulate: { seconds: 0.001 } } });
const watchEveryMs = 100;

export function clientOf({ api, token }: Endpoints) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const submit = async (): Promise<string> => {
    const answer = await fetch(`${api}/v1/jobs`, { method: 'POST', headers, body: short });
    if (answer.status !== 202) throw new Error(`a submit was answered with ${answer.status}`);
    return ((await answer.json()) as { id: string }).id;
  };
  const submitBatch = async (jobs: number, job = short): Promise<void> => {
    const body = `{"jobs":[${Array.from({ length: jobs }, () => job).join()}]}`;
    const answer = await fetch(`${api}/v1/jobs/batch`, { method: 'POST', headers, body });
    if (answer.status !== 202) throw new Error(`a batch was answered with ${answer.status}`);
  };
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${api}${path}`, { headers })).json();
  const stats = () => read('/v1/stats') as Promise<{ jobs: Counts; edges: Counts }>;
  return {
    submit,
    submitBatch,
    async ended() {
      const { done, failed } = (await stats()).jobs;
      if (failed !== 0) throw new Error(`${failed} jobs failed`);
      return done ?? 0;
    },
    async connected() {
      return (await stats()).edges.connected ?? 0;
    },
    /** How long it took, and how many rows its receipt says were written for it. */
    async submitAndSee(): Promise<{ readonly ms: number; readonly rows: number }> {
      const startedAtMs = performance.now();
      const id = await submit();
      for (;;) {
        const { status } = (await read(`/v1/jobs/${id}`)) as { status: Seen };
        const ms = performance.now() - startedAtMs;
        if (status.state === 'done') return { ms, rows: status.receipt.tableWrites };
      }
    },
  };
}

type Seen = { readonly state: string; readonly receipt: { readonly tableWrites: number } };
type Counts = Readonly<Record<string, number>>;

export async function inTurns(
  workers: number,
  each: number,
  run: () => Promise<unknown>,
): Promise<void> {
  const worker = async () => {
    for (let count = 0; count < each; count++) await run();
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

export async function until(look: () => Promise<boolean>): Promise<void> {
  const patienceMs = 120_000;
  const endMs = performance.now() + patienceMs;
  while (!(await look())) {
    if (performance.now() > endMs) throw new Error(`nothing came of it in ${patienceMs} ms`);
    await delay(watchEveryMs);
  }
}
