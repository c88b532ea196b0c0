import type * as Sdk from '@aws-sdk/client-secrets-manager';
import { clientClass, jsonProtocol } from './client-class.ts';
import { commandsOf } from './sdk-shape.ts';

/** Stands in for `@aws-sdk/client-secrets-manager` in a bundle, with what adapters use of it. */
const service = 'secretsmanager';
const names = { service, variable: 'SECRETS_MANAGER' };

export const SecretsManagerClient = clientClass<typeof Sdk>(names, jsonProtocol(service, '1.1'));
export const GetSecretValueCommand = commandsOf<typeof Sdk>()('GetSecretValue');
