import type { Terminal } from '../terminal.ts';

/**
 * One line on stderr that is drawn over while something is waited for; where nobody looks it draws
 * nothing.
 */
export type ProgressBar = { draw(percent: number, text: string): void; clear(): void };

const barWidth = 24;
const eraseLine = '\r\u001b[2K';

export function progressBar(terminal: Terminal): ProgressBar {
  if (!terminal.errIsTerminal || terminal.env.TERM === 'dumb') {
    return { draw: () => undefined, clear: () => undefined };
  }
  let drawn = false;
  return {
    draw: (percent, text) => {
      drawn = true;
      const line = `${formatBar(percent, barWidth)} ${String(percent).padStart(3)} %  ${text}`;
      terminal.draw(eraseLine + line.slice(0, Math.max(20, terminal.columns - 1)));
    },
    clear: () => {
      if (drawn) terminal.draw(eraseLine);
      drawn = false;
    },
  };
}

export function formatBar(percent: number, width: number): string {
  const full = Math.max(0, Math.min(width, Math.floor((percent / 100) * width)));
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
}
