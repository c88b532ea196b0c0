import type * as Sdk from '@aws-sdk/client-iot-data-plane';
import { clientClass } from './client-class.ts';
import { commandsOf } from './sdk-shape.ts';
import type { SignedRequest } from './signed-client.ts';

/**
 * Stands in for `@aws-sdk/client-iot-data-plane` in a bundle, with what adapters use of it: the
 * named shadows of things.
 */
const names = { service: 'iotdata', host: 'data-ats.iot', variable: 'IOT_DATA_PLANE' };

const methods = {
  GetThingShadow: 'GET',
  UpdateThingShadow: 'POST',
  DeleteThingShadow: 'DELETE',
} as const;

/** What of their inputs is known here: the SDK would take streams as well. */
type ShadowInput = {
  readonly thingName: string;
  readonly shadowName: string;
  readonly payload?: SignedRequest['body'];
};

export const IoTDataPlaneClient = clientClass<typeof Sdk, keyof typeof methods>(names, {
  requestOf(operation, input) {
    const { thingName, shadowName: name, payload: body = '' } = input as ShadowInput;
    const path = `/things/${encodeURIComponent(thingName)}/shadow`;
    const headers = body === '' ? {} : { 'content-type': 'application/octet-stream' };
    return { method: methods[operation], path, query: { name }, headers, body };
  },
  outputOf(body) {
    const payload = Buffer.from(body);
    return { payload: Object.assign(payload, { transformToString: () => body }) };
  },
});

const command = commandsOf<typeof Sdk>();

export const GetThingShadowCommand = /* @__PURE__ */ command('GetThingShadow');
export const UpdateThingShadowCommand = /* @__PURE__ */ command('UpdateThingShadow');
export const DeleteThingShadowCommand = /* @__PURE__ */ command('DeleteThingShadow');
