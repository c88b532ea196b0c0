import { useState } from 'preact/hooks';
import type { Problem } from '../../api/problem.ts';
import type { Chunk, Job } from '../../api/resources.ts';
import { useClient, useCollection } from '../../live/use-live.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { Ago } from '../ago.tsx';
import { FeedNotice, Loading, ProblemNotice } from '../notice.tsx';
import { ScrollText } from '../scroll-box.tsx';

/**
 * The chunks that failed: where, how often, why, and what they said. Output is fetched when it is
 * opened.
 */
const everyMs = 5_000;
const chunksMax = 500;

export function JobAttempts({ job, path }: { job: Job; path: string }) {
  const { dead } = job.status.chunks;
  const chunks = useCollection<Chunk>(
    dead > 0 ? `${path}/chunks?state=dead` : null,
    everyMs,
    chunksMax,
  );
  if (dead === 0) return null;
  return (
    <section class="panel" aria-labelledby="attempts-title">
      <h2 id="attempts-title">
        Failed chunks <span class="soft">{numberWords(dead)}</span>
      </h2>
      <FeedNotice live={chunks} what="failed chunks" />
      <ul class="attempts">
        {(chunks.value?.items ?? []).map((chunk) => (
          <li key={chunk.chunk}>
            <Attempt chunk={chunk} path={path} />
          </li>
        ))}
      </ul>
      {chunks.value?.more && (
        <p class="soft">
          The first {chunksMax}; the rest with{' '}
          <code>edgewise job chunks {job.id} --state dead</code>
        </p>
      )}
    </section>
  );
}

function Attempt({ chunk, path }: { chunk: Chunk; path: string }) {
  const [open, setOpen] = useState(false);
  const toggle = (event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open);
  const why = chunk.reason ?? (chunk.exitCode === null ? 'failed' : `exit ${chunk.exitCode}`);
  return (
    <details onToggle={toggle}>
      <summary>
        <b>chunk {chunk.chunk}</b>
        <span class="bad">{why}</span>
        <span class="soft">
          {chunk.attempts === 1 ? '1 attempt' : `${chunk.attempts} attempts`}
          {chunk.exitCode !== null && `, exit code ${chunk.exitCode}`}
        </span>
        <span class="soft">
          <Ago at={chunk.endedAt} />
        </span>
      </summary>
      {chunk.edge !== null && (
        <p class="soft">
          Last on <Link to={{ page: 'edge', name: chunk.edge }}>{chunk.edge}</Link>
        </p>
      )}
      {open && <Output path={`${path}/chunks/${chunk.chunk}/output`} />}
    </details>
  );
}

type Fetched = { readonly text: string } | { readonly problem: Problem } | null;

function Output({ path }: { path: string }) {
  const client = useClient();
  const [fetched, setFetched] = useState<Fetched>(null);
  const [asked, setAsked] = useState(false);
  if (!asked) {
    setAsked(true);
    void client.readText(path).then((answer) => {
      setFetched(answer.ok ? { text: answer.value } : { problem: answer.problem });
    });
  }
  if (fetched === null) return <Loading what="output" />;
  if ('problem' in fetched) {
    if (fetched.problem.kind === 'missing') return <p class="soft">No output was kept.</p>;
    return <ProblemNotice problem={fetched.problem} />;
  }
  return (
    <ScrollText label="Output of the chunk">
      {fetched.text === '' ? '(it printed nothing)' : fetched.text}
    </ScrollText>
  );
}
