/** AWS::CloudFront::ResponseHeadersPolicy: headers that a distribution adds to its answers. */
import { stableToken } from '../../account.ts';
import { type Reader, readerOf } from '../../assembly/property.ts';
import type { ResourceType } from '../../world.ts';

export const responseHeadersPolicy: ResourceType = {
  used: ['ResponseHeadersPolicyConfig'],
  ignored: {},
  create: ({ logicalId, path, properties, world }) => {
    const config = readerOf(properties, path)
      .object('ResponseHeadersPolicyConfig')
      .only(['Name', 'CustomHeadersConfig', 'SecurityHeadersConfig'], {
        Comment: 'a text for people',
      });
    const headers: Record<string, string> = {};
    for (const item of config.optionalObject('CustomHeadersConfig')?.objects('Items') ?? []) {
      headers[item.text('Header').toLowerCase()] = item.text('Value');
    }
    const security = config.optionalObject('SecurityHeadersConfig');
    if (security !== undefined) Object.assign(headers, securityHeaders(security));
    const id = stableToken(logicalId, 14);
    world.responseHeaders.set(id, headers);
    return { ref: id, attributes: { Id: id } };
  },
};

function securityHeaders(reader: Reader): Record<string, string> {
  const headers: Record<string, string> = {};
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) headers[name] = value;
  };
  reader.only(['ContentSecurityPolicy', 'ContentTypeOptions', 'FrameOptions', 'ReferrerPolicy'], {
    StrictTransportSecurity: 'there is no TLS on this machine',
    XSSProtection: 'obsolete',
  });
  const policy = reader.optionalObject('ContentSecurityPolicy');
  add('content-security-policy', policy?.text('ContentSecurityPolicy'));
  add('x-content-type-options', reader.has('ContentTypeOptions') ? 'nosniff' : undefined);
  add('x-frame-options', reader.optionalObject('FrameOptions')?.text('FrameOption'));
  add('referrer-policy', reader.optionalObject('ReferrerPolicy')?.text('ReferrerPolicy'));
  return headers;
}
