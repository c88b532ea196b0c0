/**
 * Where events may be sent. A user of the API names the address, and a function of the deployment
 * goes there: so nothing of that function's own surroundings may be named, by whatever spelling.
 */

/** Why it may not be one; `null`: it may. */
export function faultOfReceiver(text: string, allowsLoopback: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'This must be an address that begins with https:// or http://.';
  }
  if (url.username !== '' || url.password !== '') {
    return 'Name and password in an address would be shown; put a secret into its path.';
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocalName = /(^|\.)localhost\.?$/i.test(host);
  const isForbidden = isAddress(host) ? !isAllowedAddress(host, allowsLoopback) : isLocalName;
  if (isForbidden && !(isLocalName && allowsLoopback)) {
    return 'This address is of the machine itself or of its neighbourhood.';
  }
  return null;
}

const isAddress = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

/** Of an address that a name has led to: four numbers, or eight groups. */
export function isAllowedAddress(address: string, allowsLoopback: boolean): boolean {
  if (!address.includes(':')) return isAllowedV4(address, allowsLoopback);
  const groups = groupsOf(address);
  if (groups === null) return false;
  const [a = 0, b = 0] = groups;
  const inner = innerV4(groups);
  if (inner !== null) return isAllowedV4(inner, allowsLoopback);
  if (groups.slice(0, 7).every((one) => one === 0)) return groups[7] === 1 && allowsLoopback;
  // Link-local, site-local, multicast; and where instances find services of their host.
  const isNear = (a & 0xffc0) === 0xfe80 || (a & 0xffc0) === 0xfec0 || a >= 0xff00;
  return !isNear && !(a === 0xfd00 && b === 0x0ec2);
}

function isAllowedV4(address: string, allowsLoopback: boolean): boolean {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((one) => !(one >= 0 && one <= 255))) return false;
  const [a = 0, b = 0, c = 0] = parts;
  if (a === 127) return allowsLoopback;
  if (a === 0 || a >= 224) return false;
  // Link-local, where the metadata of instances is, and where some clouds have theirs.
  if (a === 169 && b === 254) return false;
  return !(a === 100 && b === 100 && c === 100) && !(a === 192 && b === 0 && c === 192);
}

/** What is a way to write an address of four numbers; `null`: it is none. */
function innerV4(groups: readonly number[]): string | null {
  const begins = (...first: number[]): boolean => first.every((one, at) => groups[at] === one);
  const at = (from: number): string =>
    [groups[from]! >> 8, groups[from]! & 255, groups[from + 1]! >> 8, groups[from + 1]! & 255].join(
      '.',
    );
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0, 0, 0, 0, 0xffff, 0)) return at(6);
  if (begins(0x64, 0xff9b)) return at(6);
  if (begins(0x2002)) return at(1);
  const isCompatible = begins(0, 0, 0, 0, 0, 0) && (groups[6] !== 0 || groups[7]! > 1);
  return isCompatible ? at(6) : null;
}

function groupsOf(address: string): number[] | null {
  const bare = address.split('%', 1)[0]!;
  // The platform's own reading of all spellings, which comes as groups and never dotted.
  if (!URL.canParse(`http://[${bare}]`)) return null;
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const read = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((one) => Number.parseInt(one, 16));
  const [before, after] = [read(head), read(tail ?? '')];
  if (tail === undefined) return before.length === 8 ? before : null;
  const zeros = 8 - before.length - after.length;
  return zeros < 0 ? null : [...before, ...Array<number>(zeros).fill(0), ...after];
}
