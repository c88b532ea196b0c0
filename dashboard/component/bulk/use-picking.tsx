import { useCallback, useState } from 'preact/hooks';
import { bulkItemsMax } from '../../limits.ts';
import {
  chosenOf,
  noSelection,
  type Selection,
  toggled,
  toggledAll,
} from '../../model/selection.ts';

/** Choosing rows of a list. States: off ↔ on, and what is chosen while it is on. */
export type Picking<T> = {
  readonly isOn: boolean;
  readonly selection: Selection | null;
  readonly chosen: readonly T[];
  has(item: T): boolean;
  toggle(item: T): void;
  toggleAll(): void;
  turn(): void;
};

export function usePicking<T>(shown: readonly T[], keyOf: (item: T) => string): Picking<T> {
  const [selection, setSelection] = useState<Selection | null>(null);
  const toggle = useCallback(
    (item: T) => setSelection((old) => toggled(old ?? noSelection, keyOf(item))),
    [],
  );
  return {
    isOn: selection !== null,
    selection,
    chosen: chosenOf(shown, selection ?? noSelection, keyOf),
    has: (item) => selection?.has(keyOf(item)) === true,
    toggle,
    toggleAll: () => {
      const keys = shown.slice(0, bulkItemsMax).map(keyOf);
      setSelection((old) => toggledAll(old ?? noSelection, keys));
    },
    turn: () => setSelection((old) => (old === null ? noSelection : null)),
  };
}

/** The button that begins and ends the choosing. */
export function PickButton({ picking }: { picking: Pick<Picking<unknown>, 'isOn' | 'turn'> }) {
  return (
    <button type="button" aria-pressed={picking.isOn} onClick={picking.turn}>
      Select
    </button>
  );
}

type PickBoxProps = {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
};

export function PickBox({ label, isChosen, onToggle }: PickBoxProps) {
  return (
    <input type="checkbox" class="pick" aria-label={label} checked={isChosen} onChange={onToggle} />
  );
}
