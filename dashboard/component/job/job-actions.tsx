import { useState } from 'preact/hooks';
import type { Job } from '../../../core/contract/resources.ts';
import { useClient, type Watched } from '../../live/use-live.ts';
import { numberWords } from '../../model/words.ts';
import { Link } from '../../route/navigation.tsx';
import { ConfirmDialog } from '../confirm-dialog.tsx';

/** What can be done to a job: all of it, or some of its chunks. */
export function JobActions({ job, path, watched }: JobActionsProps) {
  const [asking, setAsking] = useState<'cancel' | 'cancel-chunks' | 'retry' | null>(null);
  const { state, chunks } = job.status;
  const over = state === 'done' || state === 'failed' || state === 'cancelled';
  const close = () => setAsking(null);
  return (
    <>
      <div class="buttons">
        <Link class="button" to={{ page: 'submit', like: job.id }}>
          Submit again
        </Link>
        <button type="button" disabled={chunks.dead === 0} onClick={() => setAsking('retry')}>
          Retry failed chunks
        </button>
        <button
          type="button"
          disabled={over || job.spec.kind === 'service'}
          onClick={() => setAsking('cancel-chunks')}
        >
          Cancel chunks
        </button>
        <button type="button" class="danger" disabled={over} onClick={() => setAsking('cancel')}>
          Cancel job
        </button>
      </div>
      {asking === 'cancel' && <CancelJob {...{ job, path, watched, close }} />}
      {asking === 'cancel-chunks' && <CancelChunks {...{ job, path, watched, close }} />}
      {asking === 'retry' && <RetryJob {...{ job, path, watched, close }} />}
    </>
  );
}

type JobActionsProps = {
  readonly job: Job;
  readonly path: string;
  readonly watched: Watched<Job>;
};
type Question = JobActionsProps & { readonly close: () => void };

/** Sends a request, and looks at the job anew whatever came of it. */
function useSend(watched: Watched<Job>) {
  const client = useClient();
  return async (method: string, to: string) => {
    const answer = await client.send(method, to);
    watched.refresh();
    return answer.ok ? null : answer.problem;
  };
}

function CancelJob({ job, path, watched, close }: Question) {
  const { total, done, dead, cancelled } = job.status.chunks;
  const send = useSend(watched);
  return (
    <ConfirmDialog
      title="Cancel this job?"
      confirm="Cancel job"
      danger
      onClose={close}
      onConfirm={() => send('DELETE', path)}
    >
      <p>
        {numberWords(total - done - dead - cancelled)} chunks that are not done will not run; those
        that run now are stopped on their edges.
      </p>
    </ConfirmDialog>
  );
}

function CancelChunks({ job, path, watched, close }: Question) {
  const send = useSend(watched);
  const ranges = (fields: FormData) => encodeURIComponent(String(fields.get('ranges')).trim());
  return (
    <ConfirmDialog
      title="Cancel some chunks?"
      confirm="Cancel chunks"
      danger
      onClose={close}
      onConfirm={(fields) => send('DELETE', `${path}/chunks?ranges=${ranges(fields)}`)}
    >
      <label>
        Which of 0 to {job.status.chunks.total - 1}
        <input name="ranges" required autocomplete="off" placeholder="0-99,140" />
      </label>
      <p>The job goes on with the others, and ends by them. What is done stays done.</p>
    </ConfirmDialog>
  );
}

function RetryJob({ job, path, watched, close }: Question) {
  const send = useSend(watched);
  return (
    <ConfirmDialog
      title="Run the failed chunks again?"
      confirm="Retry failed chunks"
      onClose={close}
      onConfirm={() => send('POST', `${path}/retry`)}
    >
      <p>{numberWords(job.status.chunks.dead)} chunks get all their attempts again.</p>
    </ConfirmDialog>
  );
}
