import type { AdminToken } from '../../core/ports/tokens.ts';

export type MemoryAdminToken = AdminToken & { rotate(text: string): void };

export function createMemoryAdminToken(): MemoryAdminToken {
  let kept: string | null = null;
  return {
    read: async () => kept,
    rotate(text) {
      kept = text;
    },
  };
}
