/** Bounds of federation: in the name the unit, in the comment the source. */

/** What a document of work can name at most (`workBytesMax`), so whatever was leased fits. */
export const chunkNumbersLengthMax = 8 * 1024;
/** Deployments below each other: what came from the first is not handed to a fourth. */
export const federationDepthMax = 3;
