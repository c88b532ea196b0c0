import type { EdgeShadows } from '../../core/ports/shadows.ts';
import { isRecord } from '../../core/wire/json.ts';
import { endpointOf } from '../aws/endpoint.ts';
import { createSignedClient, type SignedClient } from '../aws/signed-client.ts';
import { shadowRequest } from './shadow-request.ts';

export function createEdgeShadows(
  client: SignedClient = createSignedClient(endpointOf('iotdata')),
): EdgeShadows {
  return {
    async readWork(edge) {
      try {
        return desiredOf(await client.send(shadowRequest('GET', edge, 'work', '')));
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return null;
        throw error;
      }
    },
  };
}

function desiredOf(payload: string): Readonly<Record<string, unknown>> | null {
  const document: unknown = JSON.parse(payload);
  const state = isRecord(document) ? document.state : null;
  const desired = isRecord(state) ? state.desired : null;
  return isRecord(desired) ? desired : null;
}
