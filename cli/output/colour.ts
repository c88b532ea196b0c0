/** Colour only repeats what the word already says. */
const reset = '\u001b[0m';
const green = '\u001b[32m';
const yellow = '\u001b[33m';
const red = '\u001b[31m';
const dim = '\u001b[2m';

const paints: Readonly<Record<string, string>> = {
  done: green,
  connected: green,
  running: green,
  scheduled: green,
  ok: green,
  pending: yellow,
  waiting: yellow,
  disconnected: yellow,
  draining: yellow,
  cordoned: yellow,
  late: yellow,
  stopping: yellow,
  failed: red,
  dead: red,
  lost: red,
  doubled: red,
  cancelled: dim,
  removed: dim,
};

export function paintState(state: string, text: string, colour: boolean): string {
  const paint = paints[state];
  return colour && paint !== undefined ? `${paint}${text}${reset}` : text;
}
