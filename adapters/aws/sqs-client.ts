import type * as Sdk from '@aws-sdk/client-sqs';
import { clientClass, jsonProtocol } from './client-class.ts';
import { commandsOf } from './sdk-shape.ts';

/** Stands in for `@aws-sdk/client-sqs` in a bundle, with what adapters use of it. */
const names = { service: 'sqs' };

export const SQSClient = clientClass<typeof Sdk>(names, jsonProtocol('AmazonSQS'));
export const SendMessageCommand = commandsOf<typeof Sdk>()('SendMessage');
