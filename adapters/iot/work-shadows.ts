import { IoTDataPlaneClient, UpdateThingShadowCommand } from '@aws-sdk/client-iot-data-plane';
import { shadowAttemptsMax, shadowBytesMax, shadowRetryMs } from '../../core/model/limits.ts';
import type { EdgeName } from '../../core/model/names.ts';
import type { LiveShadows, WorkShadows } from '../../core/ports/shadows.ts';
import { clientConfig } from '../aws/client-config.ts';
import { makeThings, type Things } from './things.ts';

/**
 * Why a `work` document was not written. None of these loses anything: the epoch that an edge has
 * not applied is written again by a later pass.
 */
export class ShadowRefusal extends Error {
  readonly kind: 'too-large' | 'throttled' | 'conflict' | 'unavailable';

  constructor(kind: ShadowRefusal['kind'], edge: EdgeName, cause?: unknown) {
    super(`the work of ${edge} was not written: ${kind}`, { cause });
    this.name = 'ShadowRefusal';
    this.kind = kind;
  }
}

/**
 * Writes `work` through the data plane. Without a version in the request, because passes alone
 * write the work in it: the epoch inside orders the documents, and the edge drops one that is older
 * than what it has. The wishes beside it have a writer and a name of their own; a shadow merges.
 */
export function createWorkShadows(
  client: IoTDataPlaneClient = new IoTDataPlaneClient({ ...clientConfig, maxAttempts: 1 }),
  things: Things = makeThings(),
): WorkShadows & LiveShadows {
  const update = async (edge: EdgeName, desired: object): Promise<void> => {
    const payload = JSON.stringify({ state: { desired } });
    if (Buffer.byteLength(payload) > shadowBytesMax) throw new ShadowRefusal('too-large', edge);
    const input = { thingName: things.of(edge), shadowName: 'work', payload };
    let refusal: ShadowRefusal | null = null;
    for (let attempt = 1; attempt <= shadowAttemptsMax; attempt++) {
      if (attempt > 1) await pause(attempt - 1);
      try {
        await client.send(new UpdateThingShadowCommand(input));
        return;
      } catch (error) {
        const kind = refusalOf(error);
        if (kind === null) throw error;
        refusal = new ShadowRefusal(kind, edge, error);
        if (kind === 'too-large') break;
      }
    }
    throw refusal;
  };
  return { write: update, wish: (edge, wishes) => update(edge, { l: wishes }) };
}

function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, shadowRetryMs * 2 ** attempt));
}

function refusalOf(error: unknown): ShadowRefusal['kind'] | null {
  if (!(error instanceof Error)) return null;
  switch (error.name) {
    case 'RequestEntityTooLargeException':
      return 'too-large';
    case 'ThrottlingException':
    case 'TooManyRequestsException':
      return 'throttled';
    case 'ConflictException':
      return 'conflict';
    case 'ServiceUnavailableException':
    case 'InternalFailureException':
    case 'GatewayTimeoutException':
      return 'unavailable';
    default:
      return null;
  }
}
