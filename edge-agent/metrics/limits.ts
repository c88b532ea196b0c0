/** Scrapers that are answered at once; two that watch each other need no more. */
export const scrapersMax = 8;
/** A scraper that takes longer to ask is gone: Prometheus itself gives up after 10 s. */
export const scrapeMsMax = 10_000;
/** Of a request: it has a line, a host and what a scraper says of itself. */
export const requestBytesMax = 8 * 1024;
/** TCP has no more (RFC 9293). */
export const portMax = 65_535;
