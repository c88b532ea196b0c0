import { IoTDataPlaneClient, UpdateThingShadowCommand } from '@aws-sdk/client-iot-data-plane';
import { shadowAttemptsMax, shadowBytesMax, shadowRetryMs } from '../../core/model/limits.ts';
import type { EdgeName } from '../../core/model/names.ts';
import type { WorkShadows } from '../../core/ports/shadows.ts';
import type { WorkJson } from '../../core/protocol/work.ts';
import { clientConfig } from '../aws/client-config.ts';

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
 * Writes `work` through the data plane. Without a version in the request, because this document has
 * no other writer: the epoch inside orders the documents, and the edge drops one that is older than
 * what it has.
 */
export function createWorkShadows(
  client: IoTDataPlaneClient = new IoTDataPlaneClient({ ...clientConfig, maxAttempts: 1 }),
): WorkShadows {
  return {
    async write(edge, work) {
      const payload = documentOf(work);
      if (Buffer.byteLength(payload) > shadowBytesMax) throw new ShadowRefusal('too-large', edge);
      const input = { thingName: edge, shadowName: 'work', payload };
      for (let attempt = 1; ; attempt++) {
        try {
          await client.send(new UpdateThingShadowCommand(input));
          return;
        } catch (error) {
          const kind = refusalOf(error);
          if (kind === null) throw error;
          if (kind === 'too-large' || attempt >= shadowAttemptsMax) {
            throw new ShadowRefusal(kind, edge, error);
          }
          await new Promise((resolve) => setTimeout(resolve, shadowRetryMs * 2 ** attempt));
        }
      }
    },
  };
}

function documentOf(work: WorkJson): string {
  return JSON.stringify({ state: { desired: work } });
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
