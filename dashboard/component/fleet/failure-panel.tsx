import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Client } from '../../api/client.ts';
import type { Chunk, Job, Page } from '../../api/resources.ts';
import { useClient } from '../../live/use-live.ts';
import { failureReasons, hasFailures } from '../../model/fleet-summary.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';

/**
 * Why chunks failed, over the jobs listed. The newest failed jobs are asked for what their chunks
 * said, each once for every count of dead chunks: enough to see what is going wrong now, without
 * reading the history of a bad week.
 */
const jobsAskedMax = 20;
const chunksAskedMax = 100;
const shownMax = 6;

export function FailurePanel({ jobs }: { jobs: readonly Job[] }) {
  const said = useChunkReasons(jobs);
  const reasons = useMemo(() => failureReasons(jobs, said), [jobs, said]);
  return (
    <section class="panel">
      <h2>Failures</h2>
      {reasons.length === 0 && <p class="soft">No job listed here lost a chunk.</p>}
      <ul class="reasons">
        {reasons.slice(0, shownMax).map(({ reason, jobs: count, chunks, example }) => (
          <li key={reason}>
            <Link to={{ page: 'job', id: example }}>{reason}</Link>
            <span class="figures">
              {chunks === 1 ? '1 chunk' : `${numberWords(chunks)} chunks`},{' '}
              {count === 1 ? '1 job' : `${numberWords(count)} jobs`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Reasons = ReadonlyMap<string, readonly string[]>;

function useChunkReasons(jobs: readonly Job[]): Reasons {
  const client = useClient();
  const [reasons, setReasons] = useState<Reasons>(new Map());
  const known = useRef<Map<string, readonly string[]>>(new Map());
  const failed = jobs.filter(hasFailures).slice(0, jobsAskedMax);
  const asked = failed.map((job) => `${job.id}:${job.status.chunks.dead}`).join();
  useEffect(() => {
    let left = false;
    void askAll(client, asked, known.current).then((found) => {
      if (!left) setReasons(found);
    });
    return () => {
      left = true;
    };
  }, [client, asked]);
  return reasons;
}

/** `known` is by job and its count of dead chunks; what is not listed any more is forgotten. */
async function askAll(
  client: Client,
  asked: string,
  known: Map<string, readonly string[]>,
): Promise<Reasons> {
  const entries = asked.split(',').filter((one) => one !== '');
  for (const entry of known.keys()) if (!entries.includes(entry)) known.delete(entry);
  const found = new Map<string, readonly string[]>();
  for (const entry of entries) {
    const id = entry.slice(0, entry.indexOf(':'));
    const said = known.get(entry) ?? (await askJob(client, id));
    if (said === null) continue;
    known.set(entry, said);
    found.set(id, said);
  }
  return found;
}

async function askJob(client: Client, id: string): Promise<readonly string[] | null> {
  const path = `/v1/jobs/${encodeURIComponent(id)}/chunks?state=dead&limit=${chunksAskedMax}`;
  const answer = await client.read<Page<Chunk>>(path);
  return answer.ok ? answer.value.items.map(reasonOf) : null;
}

function reasonOf({ reason, exitCode }: Chunk): string {
  return reason ?? (exitCode === null ? 'failed' : `exit code ${exitCode}`);
}
