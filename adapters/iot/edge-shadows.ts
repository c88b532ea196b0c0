import { GetThingShadowCommand, IoTDataPlaneClient } from '@aws-sdk/client-iot-data-plane';
import { isRecord } from '../../core/wire/work.ts';

/** Reads the `work` document of an edge for those that have no MQTT. */
export type EdgeShadows = {
  /** `state.desired` as it is; `null` when nothing was ever written. */
  readWork(edge: string): Promise<Readonly<Record<string, unknown>> | null>;
};

export function createEdgeShadows(client = new IoTDataPlaneClient({})): EdgeShadows {
  return {
    async readWork(edge) {
      try {
        const answer = await client.send(
          new GetThingShadowCommand({ thingName: edge, shadowName: 'work' }),
        );
        return desiredOf(answer.payload);
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return null;
        throw error;
      }
    },
  };
}

function desiredOf(payload: Uint8Array | undefined): Readonly<Record<string, unknown>> | null {
  const document: unknown = JSON.parse(new TextDecoder().decode(payload ?? new Uint8Array()));
  const state = isRecord(document) ? document.state : null;
  const desired = isRecord(state) ? state.desired : null;
  return isRecord(desired) ? desired : null;
}
