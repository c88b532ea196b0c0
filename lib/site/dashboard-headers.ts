/**
 * The headers under which the dashboard is served, the same by the cloud stack and by the local
 * start: its own script and style, and the API. Nothing is injected, framed, posted elsewhere or
 * evaluated.
 */
/** `sources` are what the page connects to beside its own origin; often nothing. */
export function dashboardPolicy(sources: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${sources}`.trimEnd(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

export const dashboardHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/**
 * Built files carry a hash of their content in their name; the page that names them must always be
 * asked for.
 */
export const assetCacheControl = 'public, max-age=31536000, immutable';
export const pageCacheControl = 'no-cache';
