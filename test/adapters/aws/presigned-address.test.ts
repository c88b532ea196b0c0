import { expect, test } from 'vitest';
import { presignedAddress } from '../../../adapters/aws/presigned-address.ts';

/** The example of AWS's documentation of Signature Version 4 in a query. */
test('the address of AWS’s own example', () => {
  const endpoint = {
    url: new URL('https://examplebucket.s3.amazonaws.com'),
    region: 'us-east-1',
    service: 's3',
  };
  const credentials = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const request = { method: 'GET', path: '/test.txt', headers: {}, seconds: 86_400 };
  const address = presignedAddress(request, endpoint, credentials, Date.UTC(2013, 4, 24));
  expect(address).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});
