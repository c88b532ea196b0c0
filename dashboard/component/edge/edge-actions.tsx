import { useState } from 'preact/hooks';
import type { Edge } from '../../../core/contract/resources.ts';
import type { Problem } from '../../api/problem.ts';
import { useClient } from '../../live/use-live.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { ReasonField, reasonOf } from './reason-field.tsx';

/**
 * Taking an edge out of service and back into it. Both ways out ask for the reason that others will
 * read.
 */
export type EdgeActionsProps = {
  readonly edge: Edge;
  readonly path: string;
  readonly refresh: () => void;
};

type Question = {
  readonly name: string;
  readonly onClose: () => void;
  readonly send: (method: string, below: string, body: unknown) => Promise<Problem | null>;
};

const questions = { cordon: CordonQuestion, drain: DrainQuestion, uncordon: UncordonQuestion };
const drainSecondsDefault = 600;

export function EdgeActions({ edge, path, refresh }: EdgeActionsProps) {
  const client = useClient();
  const [asking, setAsking] = useState<keyof typeof questions | null>(null);
  const send: Question['send'] = async (method, below, body) => {
    const answer = await client.send(method, path + below, body);
    refresh();
    return answer.ok ? null : answer.problem;
  };
  const isOut = edge.cordoned || edge.draining;
  const AskNow = asking === null ? null : questions[asking];
  return (
    <div class="buttons">
      {isOut ? (
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
      {AskNow !== null && <AskNow name={edge.name} onClose={() => setAsking(null)} send={send} />}
    </div>
  );
}

function UncordonQuestion({ name, onClose, send }: Question) {
  const confirm = () => send('PATCH', '', { cordoned: false });
  return (
    <ConfirmDialog
      title={`Take ${name} back?`}
      confirm="Take back"
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>It receives work again at once.</p>
    </ConfirmDialog>
  );
}

function CordonQuestion({ name, onClose, send }: Question) {
  const confirm = (fields: FormData) =>
    send('PATCH', '', { cordoned: true, reason: reasonOf(fields) });
  return (
    <ConfirmDialog title={`Cordon ${name}?`} confirm="Cordon" onClose={onClose} onConfirm={confirm}>
      <p>It gets no new work. What it holds it may finish.</p>
      <ReasonField />
    </ConfirmDialog>
  );
}

function DrainQuestion({ name, onClose, send }: Question) {
  const confirm = (fields: FormData) => {
    const deadlineSeconds = Number(fields.get('deadline'));
    return send('POST', '/drain', { reason: reasonOf(fields), deadlineSeconds });
  };
  return (
    <ConfirmDialog
      title={`Drain ${name}?`}
      confirm="Drain"
      danger
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>
        It gets no new work and what it has not started moves at once. What runs may run until the
        deadline.
      </p>
      <ReasonField />
      <label>
        Deadline in seconds
        <input
          name="deadline"
          type="number"
          min="0"
          step="1"
          required
          defaultValue={String(drainSecondsDefault)}
        />
      </label>
    </ConfirmDialog>
  );
}
