import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ApiFunction } from '../../core/contract/routes.ts';
import { acceptFinding } from '../frame/accepted-finding.ts';
import type { EdgewiseFunction } from '../frame/edgewise-function.ts';

/** What a function may do with the objects of a part of the bucket. */
type Grant = {
  readonly part: '*' | 'files/*' | 'files/*.index' | 'results/*';
  readonly actions: readonly string[];
  readonly to: readonly ApiFunction[];
};

/** Reading, and storing in one piece or in parts. */
const uploads = ['s3:GetObject', 's3:PutObject', 's3:ListMultipartUploadParts'];

const grants: readonly Grant[] = [
  { part: '*', actions: ['s3:GetObject'], to: ['live'] },
  { part: 'files/*', actions: ['s3:GetObject'], to: ['jobs-read'] },
  { part: '*', actions: ['s3:DeleteObject'], to: ['jobs-write'] },
  {
    part: '*',
    actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
    to: ['clusters', 'enrol'],
  },
  { part: '*', actions: ['s3:PutObject'], to: ['edge-link'] },
  {
    part: 'files/*',
    actions: ['s3:GetObject'],
    to: ['jobs-write', 'jobspecs', 'graphql', 'edge-link', 'schedules'],
  },
  { part: 'files/*.index', actions: ['s3:PutObject'], to: ['jobs-write', 'graphql', 'schedules'] },
  { part: 'files/*', actions: uploads, to: ['files'] },
  { part: 'results/*', actions: uploads, to: ['files'] },
  { part: 'results/*', actions: ['s3:GetObject'], to: ['edge-link'] },
];

/** Who reads has to know an object that is gone from one that it may not see. */
const lists: ReadonlySet<ApiFunction> = new Set(
  grants.filter(({ actions }) => actions.includes('s3:GetObject')).flatMap(({ to }) => to),
);

const whyAll: Readonly<Record<Grant['part'], string>> = {
  '*': 'one object for each kept output or graph; their names are made at run time',
  'files/*': 'one object for each file, named by what is in it',
  'files/*.index': 'one index for each file of parameters, named by what is in the file',
  'results/*': 'one object for each file that chunks left, named by what is in it',
};

/** `id`: the bucket's, as the template names it. */
export function allowObjects(
  functions: ReadonlyMap<ApiFunction, EdgewiseFunction>,
  bucket: Bucket,
  id: string,
): void {
  for (const { part, actions, to } of grants) {
    for (const name of to) {
      const fn = functions.get(name);
      if (fn === undefined) continue;
      fn.allow([...actions], [bucket.arnForObjects(part)]);
      acceptFinding(fn, `AwsSolutions-IAM5[Resource::<${id}.Arn>/${part}]`, whyAll[part]);
    }
  }
  for (const name of lists) functions.get(name)?.allow(['s3:ListBucket'], [bucket.bucketArn]);
  // Who goes on with an upload in parts looks for it by the name of the file.
  functions.get('files')?.allow(['s3:ListBucketMultipartUploads'], [bucket.bucketArn]);
}
