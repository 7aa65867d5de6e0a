/**
 * Records which signing keys are used by tokens, because an unused key can be revoked. Limited in size, and stored per
 * process.
 */
import type { VerifiedToken } from './types.ts';

export interface KeyUse {
  /** Milliseconds since the epoch. */
  readonly lastUsedAt: number;
  readonly uses: number;
  /**
   * The subjects of the tokens, newest last. A subject is the `sub` claim, or the role if a token doesn't have `sub`.
   */
  readonly subjects: readonly string[];
}

export interface KeyUses {
  note(token: Extract<VerifiedToken, { ok: true }>): void;
  /** Returns the uses by `kid`. The `kid` of the JWT secret is empty. */
  read(): ReadonlyMap<string, KeyUse>;
}

const keptKeys = 50;
const keptSubjects = 50;

export function createKeyUses(now: () => number): KeyUses {
  const uses = new Map<
    string,
    { lastUsedAt: number; uses: number; subject: string; subjects: Set<string> }
  >();
  return {
    note({ header, claims }) {
      const kid = header.kid ?? '';
      const who = typeof claims.sub === 'string' ? claims.sub : String(claims.role ?? '');
      const known = uses.get(kid);
      if (known === undefined) {
        if (uses.size < keptKeys)
          uses.set(kid, { lastUsedAt: now(), uses: 1, subject: who, subjects: new Set([who]) });
        return;
      }
      known.lastUsedAt = now();
      known.uses++;
      if (known.subject === who) return;
      known.subject = who;
      known.subjects.delete(who);
      known.subjects.add(who);
      if (known.subjects.size > keptSubjects)
        known.subjects.delete(known.subjects.values().next().value as string);
    },
    read: () =>
      new Map(
        [...uses].map(([kid, use]) => [
          kid,
          { lastUsedAt: use.lastUsedAt, uses: use.uses, subjects: [...use.subjects] },
        ]),
      ),
  };
}
