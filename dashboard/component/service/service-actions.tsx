import { useState } from 'preact/hooks';
import type { Job } from '../../../core/contract/resources.ts';
import { useClient } from '../../live/use-live.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';

/** What is done to a service; each asks first. */
type ServiceActionsProps = {
  readonly service: Job;
  readonly path: string;
  readonly changed: () => void;
};

type Asking = 'scale' | 'restart' | 'rollback' | 'delete' | null;

export function ServiceActions({ service, path, changed }: ServiceActionsProps) {
  const client = useClient();
  const [asking, setAsking] = useState<Asking>(null);
  const { status, spec, generation } = service;
  const isOver = status.state === 'cancelled' || status.state === 'done';
  const close = () => setAsking(null);
  const send = (method: string, to: string, bodyOf: (fields: FormData) => object | undefined) => {
    return async (fields: FormData) => {
      const answer = await client.send(method, to, bodyOf(fields));
      changed();
      return answer.ok ? null : answer.problem;
    };
  };
  const nothing = () => undefined;
  const scale = (fields: FormData) => ({ chunks: Number(fields.get('chunks')) });
  return (
    <>
      <div class="buttons">
        {spec.kind === 'service' && (
          <button type="button" disabled={isOver} onClick={() => setAsking('scale')}>
            Scale
          </button>
        )}
        <button type="button" disabled={isOver} onClick={() => setAsking('restart')}>
          Restart
        </button>
        <button
          type="button"
          disabled={isOver || generation === 1}
          onClick={() => setAsking('rollback')}
        >
          Roll back
        </button>
        <button type="button" class="danger" disabled={isOver} onClick={() => setAsking('delete')}>
          Delete
        </button>
      </div>
      {asking === 'scale' && (
        <ConfirmDialog
          title="How many instances?"
          confirm="Scale"
          onClose={close}
          onConfirm={send('PATCH', path, scale)}
        >
          <label>
            Instances{' '}
            <input type="number" name="chunks" min={0} max={500} required value={spec.chunks} />
          </label>
          <p class="soft">The highest numbers go first; with 0 it is stopped, and kept.</p>
        </ConfirmDialog>
      )}
      {asking === 'restart' && (
        <ConfirmDialog
          title="Start all instances anew?"
          confirm="Restart"
          onClose={close}
          onConfirm={send('POST', `${path}/restart`, () => ({}))}
        >
          <p>One after the other: {spec.update?.maxUnavailable ?? 1} away at once.</p>
        </ConfirmDialog>
      )}
      {asking === 'rollback' && (
        <ConfirmDialog
          title="Bring it back to the generation before?"
          confirm="Roll back"
          onClose={close}
          onConfirm={send('POST', `${path}/rollback`, () => ({}))}
        >
          <p>As a generation of its own, instance by instance.</p>
        </ConfirmDialog>
      )}
      {asking === 'delete' && (
        <ConfirmDialog
          title="Delete this service?"
          confirm="Delete"
          danger
          onClose={close}
          onConfirm={send('DELETE', path, nothing)}
        >
          <p>All of its instances are stopped on their edges.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
