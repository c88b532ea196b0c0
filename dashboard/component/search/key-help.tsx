import { useEffect, useRef } from 'preact/hooks';
import { goKeys, otherKeys } from '../../model/search/keys.ts';

/** Which keys there are, and the switch for those who type to their computer in another way. */
export type KeyHelpProps = {
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly onClose: () => void;
};

export function KeyHelp({ isOn, onSwitch, onClose }: KeyHelpProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="key-help" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {otherKeys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        {goKeys.map(([key, page]) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{page}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => onSwitch(event.currentTarget.checked)}
        />
        Keys without Ctrl or Alt do this
      </label>
      <div class="buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
