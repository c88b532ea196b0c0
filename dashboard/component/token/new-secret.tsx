import { useRef, useState } from 'preact/hooks';
import type { Token } from '../../../core/contract/resources.ts';

/**
 * A secret that nobody can show again, until it is put away. It lives in this part of the page
 * alone: leaving the page forgets it.
 */
export function NewSecret({ token, onClose }: { token: Token; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<'no' | 'yes' | 'by-hand'>('no');
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(token.secret ?? '');
      setCopied('yes');
    } catch {
      // Without a secure origin or the permission: it is selected, and the keyboard can copy it.
      setCopied('by-hand');
    }
  };
  return (
    <section class="panel secret" aria-labelledby="secret-title">
      <h2 id="secret-title">{token.name} is made</h2>
      <p>This is the only time its secret is shown.</p>
      <label class="field">
        Secret
        <input
          ref={field}
          class="code"
          readOnly
          value={token.secret ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </div>
      <p class="soft" role="status">
        {copied === 'yes' && 'Copied.'}
        {copied === 'by-hand' && 'Selected: copy it with the keyboard.'}
      </p>
    </section>
  );
}
