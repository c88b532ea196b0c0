import type { JobBody } from '../../../../core/contract/job-body.ts';
import { ProblemError } from '../../../../core/contract/problem.ts';
import { webhookSecretRandomBytes } from '../../../../core/webhooks/limits.ts';
import { faultOfReceiver } from '../../../../core/webhooks/receiver-address.ts';
import type { Ports } from '../../ports.ts';

type Needed = Pick<Ports, 'random' | 'allowsLoopback'>;

/** The body with what its end is signed with; an address that may not be called is refused. */
export function withEndReceiver(body: JobBody, deps: Needed): JobBody {
  const { onEnd } = body;
  if (onEnd === undefined) return body;
  const message = faultOfReceiver(onEnd.url, deps.allowsLoopback);
  if (message !== null) {
    const errors = [{ pointer: '/onEnd/url', message }];
    const detail = `The request is not valid at /onEnd/url: ${message}`;
    throw new ProblemError('invalid-request', detail, { errors });
  }
  return { ...body, onEnd: { url: onEnd.url, secret: onEnd.secret ?? makeSecret(deps) } };
}

/** What deliveries are signed with, where their receiver has none of its own. */
export function makeSecret({ random }: Pick<Ports, 'random'>): string {
  return `whsec_${Buffer.from(random.bytes(webhookSecretRandomBytes)).toString('base64url')}`;
}
