import type { ComponentChildren } from 'preact';
import type { Waiting } from '../../../core/contract/resources.ts';
import { numberWords, waitingSentence } from '../../model/words.ts';

/** Why chunks wait: how many of them, the sentence and the code, and what a page adds to each. */
export function WaitingReasons(props: {
  reasons: readonly Waiting[];
  more?: (reason: Waiting) => ComponentChildren;
}) {
  return (
    <ul class="why">
      {props.reasons.map((reason) => (
        <li key={reason.reason}>
          <b>{numberWords(reason.chunks)}</b>
          <div>
            <p>
              {waitingSentence(reason.reason)} <code class="soft">{reason.reason}</code>
            </p>
            {reason.detail && <p class="soft">{reason.detail}</p>}
            {props.more?.(reason)}
          </div>
        </li>
      ))}
    </ul>
  );
}
