import { GetThingShadowCommand, IoTDataPlaneClient } from '@aws-sdk/client-iot-data-plane';
import type { EdgeShadows } from '../../core/ports/shadows.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { clientConfig } from '../aws/client-config.ts';
import { makeThings, type Things } from './things.ts';

export function createEdgeShadows(
  client: IoTDataPlaneClient = new IoTDataPlaneClient(clientConfig),
  things: Things = makeThings(),
): EdgeShadows {
  return {
    async readWork(edge) {
      const request = new GetThingShadowCommand({ thingName: things.of(edge), shadowName: 'work' });
      try {
        const { payload } = await client.send(request);
        return payload === undefined ? null : desiredOf(payload.transformToString());
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
