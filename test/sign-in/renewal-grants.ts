import { randomBytes } from 'node:crypto';

/**
 * Rights to have a token anew. Each is used once and gives the next; who comes with a used one has
 * stolen it or was robbed, and all that came from the same sign-in end (RFC 9700, 4.14.2).
 */
export class RenewalGrants {
  private readonly families = new Map<string, number>();
  private readonly valid = new Set<number>();
  private last = 0;

  begin(): string {
    this.last++;
    this.valid.add(this.last);
    return this.next(this.last);
  }

  /** The next one; `null` for one that is not known, used or taken back. */
  use(token: string): string | null {
    const family = this.families.get(token);
    if (family === undefined || !this.valid.has(family)) return null;
    if (this.newest.get(family) !== token) this.valid.delete(family);
    return this.valid.has(family) ? this.next(family) : null;
  }

  /** Somebody ends all sessions of the person. */
  takeBack(): void {
    this.valid.clear();
  }

  private readonly newest = new Map<number, string>();

  private next(family: number): string {
    const token = `renewal-${randomBytes(16).toString('hex')}`;
    this.families.set(token, family);
    this.newest.set(family, token);
    return token;
  }
}
