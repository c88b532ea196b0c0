/**
 * Whether a text can be the name of a container image: registry, path, tag and digest. Anything
 * else would reach the command line of an engine as something that it is not: `-h` is its host.
 */
export function isImageName(name: string): boolean {
  return /^[A-Za-z0-9][\w.:/@+-]*$/.test(name);
}
