import type * as Sdk from '@aws-sdk/client-dynamodb';
import { clientClass, jsonProtocol } from './client-class.ts';
import { commandsOf } from './sdk-shape.ts';

/** Stands in for `@aws-sdk/client-dynamodb` in a bundle, with what adapters use of it. */
const names = { service: 'dynamodb' };

export const DynamoDBClient = clientClass<typeof Sdk>(names, jsonProtocol('DynamoDB_20120810'));

const command = commandsOf<typeof Sdk>();

export const BatchGetItemCommand = command('BatchGetItem');
export const DeleteItemCommand = command('DeleteItem');
export const GetItemCommand = command('GetItem');
export const PutItemCommand = command('PutItem');
export const QueryCommand = command('Query');
export const TransactWriteItemsCommand = command('TransactWriteItems');
export const UpdateItemCommand = command('UpdateItem');
