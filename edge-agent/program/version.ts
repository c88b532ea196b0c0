/**
 * What `--version` prints and the facts tell; the release script keeps it equal to package.json's.
 */
export const agentVersion = '0.1.0';
