/** Bounds of what the agent does for instances of services. */

/**
 * Ports that are given to instances. Linux takes connections' own ends from 32,768 to 60,999: what
 * one took between the look and the start ends the instance, which starts again with the next port.
 */
export const givenPortMin = 45_000;
export const givenPortMax = 49_999;
/** Instances of one edge that are asked at once whether they are ready. */
export const probesAtOnceMax = 16;
/** One that has never been ready is asked so often at least: its service waits for it. */
export const firstProbesEveryMs = 1_000;
/** Of the tables in which a host lists its ports: some 10,000 connections. */
export const portTableBytesMax = 2 * 1024 * 1024;
