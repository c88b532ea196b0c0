import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Chunk, Job, Page } from '../../../core/contract/resources.ts';
import type { Client } from '../../api/client.ts';
import { failedChunksAskedMax, failedJobsAskedMax, failureReasonsShownMax } from '../../limits.ts';
import { pauseMs } from '../../live/pace.ts';
import { useClient } from '../../live/use-live.ts';
import { failureReasons, hasFailures } from '../../model/fleet-summary.ts';
import { chunkEndWords, jobEndWords } from '../../model/reason-words.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';

/**
 * Why chunks failed, over the jobs listed. The newest failed jobs are asked for what their chunks
 * said, each once for every count of dead chunks: enough to see what is going wrong now, without
 * reading the history of a bad week.
 */

export function FailurePanel({ jobs }: { jobs: readonly Job[] }) {
  const said = useChunkReasons(jobs);
  const reasons = useMemo(() => failureReasons(jobs, said), [jobs, said]);
  return (
    <section class="panel">
      <h2>Failures</h2>
      {reasons.length === 0 && <p class="soft">No job listed here lost a chunk.</p>}
      <ul class="reasons">
        {reasons
          .slice(0, failureReasonsShownMax)
          .map(({ reason, jobs: count, chunks, example }) => (
            <li key={reason}>
              <Link to={{ page: 'job', id: example }}>{jobEndWords(reason)}</Link>
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
  const failed = jobs.filter(hasFailures).slice(0, failedJobsAskedMax);
  const asked = failed.map((job) => `${job.id}:${job.status.chunks.dead}`).join();
  useEffect(() => {
    let left = false;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Until the job says more than its own word: also when it could not be asked at first.
    const turn = async () => {
      const found = await askAll(client, asked, known.current);
      if (left) return;
      setReasons(found);
      if (found.size === failed.length) return;
      failures++;
      const pace = { everyMs: 0, costMs: 0, failures, retryAfterMs: null, random: Math.random() };
      timer = setTimeout(() => void turn(), pauseMs(pace));
    };
    void turn();
    return () => {
      left = true;
      clearTimeout(timer);
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
  const path = `/v1/jobs/${encodeURIComponent(id)}/chunks?state=dead&limit=${failedChunksAskedMax}`;
  const answer = await client.read<Page<Chunk>>(path);
  if (!answer.ok) return null;
  return answer.value.items.map(({ reason, exitCode }) => chunkEndWords(reason, exitCode));
}
