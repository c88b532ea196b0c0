import { documentAt } from './documents.ts';

/** A program of a page, and what it prints when the page says so. */
export type ProgramBlock = { readonly text: string; readonly prints: string | null };

/** Fences of one language; one of `text` behind a program is what it prints. */
export function programBlocks(page: string, language: string): ProgramBlock[] {
  const { text } = documentAt(page);
  const pattern = new RegExp(
    `^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`\\n(?:\\n\`\`\`text\\n([\\s\\S]*?)^\`\`\`\\n)?`,
    'gm',
  );
  return [...text.matchAll(pattern)].map(([, program = '', prints]) => ({
    text: program,
    prints: prints ?? null,
  }));
}
