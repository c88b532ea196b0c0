/** A role that anybody of the account may take, with a few rights at the broker. */
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { clientSettings } from '../../../notes-clients.ts';
import type { NotesCloud, TemplateEdit } from '../../../notes-cloud.ts';
import type { Key } from './presigned.ts';

export const region = 'eu-west-1';

/** As clients named `watcher-…`, it hears of `notes/open` and of who connects. */
export const withWatcher: TemplateEdit = (resources) => {
  const arn = (rest: string) => `arn:aws:iot:${region}:000000000000:${rest}`;
  const allow = (Action: string, ...Resource: string[]) => ({ Effect: 'Allow', Action, Resource });
  const Statement = [
    allow('iot:Connect', arn('client/watcher-*')),
    allow('iot:Publish', arn('topic/notes/*')),
    allow('iot:Subscribe', arn('topicfilter/notes/*'), arn('topicfilter/$aws/events/*')),
    allow('iot:Receive', arn('topic/notes/open'), arn('topic/$aws/events/*')),
  ];
  const Principal = { AWS: 'arn:aws:iam::000000000000:root' };
  const trust = [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }];
  const role = {
    Type: 'AWS::IAM::Role',
    Properties: {
      RoleName: 'watcher',
      AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: trust },
      Policies: [{ PolicyName: 'own', PolicyDocument: { Version: '2012-10-17', Statement } }],
    },
  };
  Object.assign(resources, { Watcher: role });
};

/** The keys of a session of that role. */
export async function watcherKey(cloud: NotesCloud, name: string): Promise<Required<Key>> {
  const sts = new STSClient(clientSettings(cloud));
  const RoleArn = 'arn:aws:iam::000000000000:role/watcher';
  const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: name }));
  sts.destroy();
  return {
    accessKeyId: Credentials!.AccessKeyId!,
    secretAccessKey: Credentials!.SecretAccessKey!,
    sessionToken: Credentials!.SessionToken!,
  };
}
