import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer, Client } from '../../api/client.ts';
import { bulkItemsMax, refusedShownMax } from '../../limits.ts';
import { type SentAll, sendAll } from '../../live/send-all.ts';
import { useClient } from '../../live/use-live.ts';
import { numberWords } from '../../model/words.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import type { Picking } from './use-picking.tsx';

/**
 * What is done to all rows that are chosen: each action says how many of them it is for, asks once,
 * and afterwards which were refused and why. States: choosing → asking → sending → said.
 */
export type BulkAction<T> = {
  readonly name: string;
  readonly isDangerous?: boolean;
  /** Of `3 jobs`. */
  readonly question: (words: string) => string;
  readonly explanation: ComponentChildren;
  readonly appliesTo: (item: T) => boolean;
  readonly send: (client: Client, item: T, fields: FormData) => Promise<Answer<unknown>>;
};

export type BulkBarProps<T> = {
  readonly picking: Picking<T>;
  readonly actions: readonly BulkAction<T>[];
  /** `job`, `edge`. */
  readonly noun: string;
  readonly nameOf: (item: T) => string;
  readonly onDone: () => void;
};

export function BulkBar<T>({ picking, actions, noun, nameOf, onDone }: BulkBarProps<T>) {
  const client = useClient();
  const [asking, setAsking] = useState<BulkAction<T> | null>(null);
  const [ended, setEnded] = useState<number | null>(null);
  const [said, setSaid] = useState<SentAll<T> | null>(null);
  const { chosen } = picking;
  const count = (items: readonly T[]) =>
    items.length === 1 ? `1 ${noun}` : `${numberWords(items.length)} ${noun}s`;
  const itemsFor = (action: BulkAction<T>) => chosen.filter(action.appliesTo);

  const confirm = (action: BulkAction<T>) => async (fields: FormData) => {
    setSaid(null);
    const sent = await sendAll({
      items: itemsFor(action).slice(0, bulkItemsMax),
      send: (item) => action.send(client, item, fields),
      onProgress: setEnded,
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
    setEnded(null);
    setSaid(sent);
    onDone();
    return null;
  };

  return (
    <div class="bulk-bar">
      <div class="bulk-line">
        <button type="button" onClick={picking.toggleAll}>
          All shown
        </button>
        <b role="status">{count(chosen)} selected</b>
        <div class="buttons">
          {actions.map((action) => (
            <button
              key={action.name}
              type="button"
              class={action.isDangerous ? 'danger' : ''}
              disabled={itemsFor(action).length === 0}
              onClick={() => setAsking(action)}
            >
              {action.name} {itemsFor(action).length > 0 && numberWords(itemsFor(action).length)}
            </button>
          ))}
        </div>
      </div>
      {said !== null && <Said said={said} count={count} nameOf={nameOf} />}
      {asking !== null && (
        <ConfirmDialog
          title={asking.question(count(itemsFor(asking)))}
          confirm={asking.name}
          danger={asking.isDangerous === true}
          onClose={() => setAsking(null)}
          onConfirm={confirm(asking)}
        >
          {asking.explanation}
          {ended !== null && <p role="status">{numberWords(ended)} done …</p>}
        </ConfirmDialog>
      )}
    </div>
  );
}

type SaidProps<T> = {
  readonly said: SentAll<T>;
  readonly count: (items: readonly T[]) => string;
  readonly nameOf: (item: T) => string;
};

function Said<T>({ said: { done, refused }, count, nameOf }: SaidProps<T>) {
  if (refused.length === 0) return <p role="status">Done for {numberWords(done)}.</p>;
  return (
    <div class="problem" role="alert">
      <p>
        Done for {numberWords(done)}; {count(refused.map(({ item }) => item))} refused it.
      </p>
      <ul>
        {refused.slice(0, refusedShownMax).map(({ item, problem }) => (
          <li key={nameOf(item)}>
            <b>{nameOf(item)}</b> {problem.sentence}
          </li>
        ))}
      </ul>
    </div>
  );
}
