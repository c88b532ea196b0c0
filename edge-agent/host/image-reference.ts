/**
 * The names under which an owner may think of one container image. Engines read `acme/tool` as
 * `docker.io/acme/tool:latest` and `alpine` as `docker.io/library/alpine:latest`, so a rule about
 * any of these is a rule about all.
 */
const hub = 'docker.io/';
const official = `${hub}library/`;

export function namesOfImage(image: string): readonly string[] {
  const tagged = withTag(image.toLowerCase().startsWith(hub) ? image.slice(hub.length) : image);
  const full = hasRegistry(tagged) ? tagged : `${hub}${tagged}`;
  const names = new Set([image, tagged, full]);
  if (full.startsWith(official)) names.add(full.slice(official.length));
  else if (full.startsWith(hub) && !full.slice(hub.length).includes('/')) {
    names.add(`${official}${full.slice(hub.length)}`).add(`library/${full.slice(hub.length)}`);
  }
  return [...names];
}

/** Neither tag nor digest: the engine takes `latest`. A colon before a slash is a port. */
function withTag(image: string): string {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? image : `${image}:latest`;
}

/** The first part is a registry when it looks like a host, as engines decide it. */
function hasRegistry(image: string): boolean {
  const slash = image.indexOf('/');
  if (slash < 0) return false;
  const first = image.slice(0, slash);
  return first === 'localhost' || /[.:]/.test(first);
}
