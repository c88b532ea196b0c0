/**
 * What programs print, for a terminal that a person sits at: colours stay, whatever else would move
 * the cursor, rename the window or answer in the person's name is shown instead of done. Text comes
 * in parts, and a sequence may be cut anywhere.
 */
export type SafeText = {
  add(text: string): string;
  /** What was held back, and the end of any colour. */
  end(): string;
};

/** The one kind of sequence that only changes how letters look. */
const colour = '\\u001b\\[[0-9;:]{0,32}m';
/** Controls but tab and line ends, and characters that change the direction of what follows. */
const hostile =
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f' +
  '\\u202a-\\u202e\\u2066-\\u2069]';
const special = new RegExp(`${colour}|${hostile}`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: what may become a colour begins so
const unfinished = /\u001b(?:\[[0-9;:]{0,32})?$/;
const noColour = '\u001b[0m';

export function makeSafeText(): SafeText {
  let held = '';
  let isColoured = false;
  const safe = (text: string): string =>
    text.replace(special, (found) => {
      if (found.length === 1) return shown(found);
      isColoured = true;
      return found;
    });
  return {
    add(text) {
      const all = held + text;
      held = unfinished.exec(all)?.[0] ?? '';
      return safe(all.slice(0, all.length - held.length));
    },
    end() {
      const rest = safe(held);
      held = '';
      return isColoured ? `${rest}${noColour}` : rest;
    },
  };
}

/** `␛` for an escape, `^G` for a bell, `<U+202E>` for what has no shape of its own. */
function shown(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x1b) return '␛';
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  if (code === 0x7f) return '^?';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
