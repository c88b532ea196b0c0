import { useEffect, useRef, useState } from 'preact/hooks';
import { noKeys, pressKey } from '../../model/search/keys.ts';
import { go } from '../../route/navigation.tsx';
import { KeyHelp } from './key-help.tsx';
import { SearchDialog } from './search-dialog.tsx';

/**
 * The keys of the whole page and what they open, with a button for each: nothing is reached by a
 * key alone. States: closed ↔ search, closed ↔ help.
 */
const switchedOff = 'edgewise-keys-off';

export function KeyCommands() {
  const [open, setOpen] = useState<'search' | 'help' | null>(null);
  const [isOn, setOn] = useState(storedSwitch);
  const keys = useRef(noKeys);
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const { key, timeStamp: atMs } = event;
      const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
      const { state, action } = pressKey(keys.current, { key, atMs, isHeld, isBusy: isBusy() });
      keys.current = state;
      if (action === null) return;
      event.preventDefault();
      if (action.kind === 'go') go(action.to);
      else setOpen(action.kind);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
  const close = () => setOpen(null);
  const turn = (on: boolean) => {
    setOn(on);
    storeSwitch(on);
  };
  return (
    <>
      <button type="button" class="quiet" aria-label="Search" onClick={() => setOpen('search')}>
        Search{isOn && <kbd>/</kbd>}
      </button>
      <button type="button" class="quiet keys" aria-label="Keys" onClick={() => setOpen('help')}>
        ?
      </button>
      {open === 'search' && <SearchDialog onClose={close} />}
      {open === 'help' && <KeyHelp isOn={isOn} onSwitch={turn} onClose={close} />}
    </>
  );
}

/** Somebody types a text, or is asked something. */
function isBusy(): boolean {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.matches('input, select, textarea')) return true;
  return document.querySelector('dialog[open]') !== null;
}

function storedSwitch(): boolean {
  try {
    return localStorage.getItem(switchedOff) === null;
  } catch {
    return true;
  }
}

function storeSwitch(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(switchedOff);
    else localStorage.setItem(switchedOff, '1');
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
}
