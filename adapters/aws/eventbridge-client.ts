import type * as Sdk from '@aws-sdk/client-eventbridge';
import { clientClass, jsonProtocol } from './client-class.ts';
import { commandsOf } from './sdk-shape.ts';

/** Stands in for `@aws-sdk/client-eventbridge` in a bundle, with what adapters use of it. */
const names = { service: 'events', variable: 'EVENTBRIDGE' };

export const EventBridgeClient = clientClass<typeof Sdk>(names, jsonProtocol('AWSEvents', '1.1'));
export const PutEventsCommand = commandsOf<typeof Sdk>()('PutEvents');
