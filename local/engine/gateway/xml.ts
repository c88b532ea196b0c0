/** Values as the XML of AWS's query protocol: lists have members, what is undefined is left out. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

export function xmlOf(name: string, value: XmlValue): string {
  return value === undefined ? '' : `<${name}>${contentOf(value)}</${name}>`;
}

function contentOf(value: Exclude<XmlValue, undefined>): string {
  if (isList(value)) return value.map((item) => xmlOf('member', item)).join('');
  if (typeof value !== 'object') return escapeXml(String(value));
  return Object.entries(value)
    .map(([name, item]) => xmlOf(name, item))
    .join('');
}

const isList = (value: XmlValue): value is readonly XmlValue[] => Array.isArray(value);

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
