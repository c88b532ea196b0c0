/** Words for the state of an edge, as users see it and ask for it; `edge-state.ts` finds them. */
export const edgeLinks = ['enrolled', 'connected', 'disconnected', 'lost', 'doubled'] as const;
export type EdgeLink = (typeof edgeLinks)[number];

export const edgeStatusNames = [
  ...edgeLinks,
  'starting',
  'crashing',
  'cordoned',
  'draining',
  'removed',
  'busy',
  'free',
] as const;
export type EdgeStatusName = (typeof edgeStatusNames)[number];
