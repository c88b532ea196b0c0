/**
 * A bucket's life cycle in the words of CloudFormation, as the XML that S3 answers with
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLifecycleConfiguration.html).
 */
import { createHash } from 'node:crypto';
import type { Reader } from '../../assembly/property.ts';
import { type XmlValue, xmlOf } from '../../engine/gateway/xml.ts';

type Fields = { readonly [name: string]: XmlValue };

export function lifecycleXml(configuration: Reader): string {
  const rules = configuration.only(['Rules']).objects('Rules');
  const body = rules.map((rule) => xmlOf('Rule', ruleOf(rule))).join('');
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  return `<LifecycleConfiguration xmlns="${namespace}">${body}</LifecycleConfiguration>`;
}

function ruleOf(rule: Reader): Fields {
  rule.only([
    ...['Id', 'Status', 'Prefix', 'ExpirationInDays', 'AbortIncompleteMultipartUpload'],
    ...['NoncurrentVersionExpiration', 'ExpiredObjectDeleteMarker'],
  ]);
  const abort = rule.optionalObject('AbortIncompleteMultipartUpload');
  const older = rule.optionalObject('NoncurrentVersionExpiration');
  return {
    ID: rule.optionalText('Id') ?? idOf(rule),
    Filter: { Prefix: rule.optionalText('Prefix') ?? '' },
    Status: rule.text('Status'),
    Expiration: expirationOf(rule),
    NoncurrentVersionExpiration:
      older === undefined ? undefined : { NoncurrentDays: older.optionalNumber('NoncurrentDays') },
    AbortIncompleteMultipartUpload:
      abort === undefined
        ? undefined
        : { DaysAfterInitiation: abort.optionalNumber('DaysAfterInitiation') },
  };
}

function expirationOf(rule: Reader): Fields | undefined {
  const Days = rule.optionalNumber('ExpirationInDays');
  const marker = rule.optionalFlag('ExpiredObjectDeleteMarker');
  if (Days === undefined && marker === undefined) return undefined;
  return { Days, ExpiredObjectDeleteMarker: marker };
}

/** S3 gives a rule without a name one. */
const idOf = (rule: Reader): string =>
  createHash('sha256').update(JSON.stringify(rule.raw)).digest('base64url').slice(0, 48);
