import { useState } from 'preact/hooks';
import type { Edge } from '../api/resources.ts';
import { useClient } from '../live/use-live.ts';
import { Ask } from './ask.tsx';

/** Setting an edge aside and taking it back. Both ways of setting aside ask for the reason that others will read. */
export type EdgeActionsProps = {
  readonly edge: Edge;
  readonly path: string;
  readonly refresh: () => void;
};

const drainSecondsDefault = 600;

export function EdgeActions({ edge, path, refresh }: EdgeActionsProps) {
  const client = useClient();
  const [asking, setAsking] = useState<'cordon' | 'drain' | 'uncordon' | null>(null);
  const close = () => setAsking(null);
  const send = async (method: string, to: string, body: unknown) => {
    const answer = await client.send(method, to, body);
    refresh();
    return answer.ok ? null : answer.problem;
  };
  const reasonOf = (fields: FormData) => String(fields.get('reason') ?? '').trim();
  const aside = edge.cordoned || edge.draining;
  return (
    <div class="buttons">
      {aside ? (
        <button type="button" class="primary" onClick={() => setAsking('uncordon')}>
          Take back into service
        </button>
      ) : (
        <button type="button" onClick={() => setAsking('cordon')}>
          Cordon
        </button>
      )}
      <button type="button" class="danger" onClick={() => setAsking('drain')}>
        Drain
      </button>
      {asking === 'uncordon' && (
        <Ask
          title={`Take ${edge.name} back?`}
          confirm="Take back"
          onClose={close}
          onConfirm={() => send('PATCH', path, { cordoned: false, reason: null })}
        >
          <p>It receives work again at once.</p>
        </Ask>
      )}
      {asking === 'cordon' && (
        <Ask
          title={`Cordon ${edge.name}?`}
          confirm="Cordon"
          onClose={close}
          onConfirm={(f) => send('PATCH', path, { cordoned: true, reason: reasonOf(f) })}
        >
          <p>It gets no new work. What it holds it may finish.</p>
          <Reason />
        </Ask>
      )}
      {asking === 'drain' && (
        <Ask
          title={`Drain ${edge.name}?`}
          confirm="Drain"
          danger
          onClose={close}
          onConfirm={(fields) =>
            send('POST', `${path}/drain`, {
              reason: reasonOf(fields),
              deadlineSeconds: Number(fields.get('deadline')),
            })
          }
        >
          <p>
            It gets no new work and what it has not started moves at once. What runs may run until
            the deadline.
          </p>
          <Reason />
          <label>
            Deadline in seconds
            <input
              name="deadline"
              type="number"
              min="1"
              step="1"
              required
              value={drainSecondsDefault}
            />
          </label>
        </Ask>
      )}
    </div>
  );
}

function Reason() {
  return (
    <label>
      Reason
      <input name="reason" required maxLength={256} placeholder="what others should know" />
    </label>
  );
}
