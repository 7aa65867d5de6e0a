/**
 * Records which tokens use each signing key, so that operators can see whether a key can be revoked safely. Each
 * process has its own record of limited size.
 */
import type { VerifiedToken } from './types.ts';

export interface KeyUse {
  /** When a token last used the key, in milliseconds since the epoch. */
  readonly lastUsedAt: number;
  readonly uses: number;
  /**
   * The subjects of the tokens, newest last. A token's subject is its `sub` claim, or its role if the token doesn't
   * have this claim.
   */
  readonly subjects: readonly string[];
}

export interface KeyUses {
  note(token: Extract<VerifiedToken, { ok: true }>): void;
  /** Returns the uses by `kid`. For the JWT secret, the `kid` is an empty string. */
  read(): ReadonlyMap<string, KeyUse>;
  /** Returns the same uses as {@link read} and clears them. */
  take(): ReadonlyMap<string, KeyUse>;
  /** Adds the uses that another process has collected. */
  add(taken: ReadonlyMap<string, KeyUse>): void;
}

const maxKeys = 50;
const maxSubjects = 50;

export function createKeyUses(now: () => number): KeyUses {
  const uses = new Map<
    string,
    { lastUsedAt: number; uses: number; subject: string; subjects: Set<string> }
  >();
  const keepSubject = (subjects: Set<string>, subject: string): void => {
    subjects.delete(subject);
    subjects.add(subject);
    if (subjects.size > maxSubjects) subjects.delete(subjects.values().next().value as string);
  };
  const read = (): ReadonlyMap<string, KeyUse> =>
    new Map(
      [...uses].map(([kid, use]) => [
        kid,
        { lastUsedAt: use.lastUsedAt, uses: use.uses, subjects: [...use.subjects] },
      ]),
    );
  return {
    note({ header, claims }) {
      const kid = header.kid ?? '';
      const who = typeof claims.sub === 'string' ? claims.sub : String(claims.role ?? '');
      const known = uses.get(kid);
      if (known === undefined) {
        if (uses.size < maxKeys)
          uses.set(kid, { lastUsedAt: now(), uses: 1, subject: who, subjects: new Set([who]) });
        return;
      }
      known.lastUsedAt = now();
      known.uses++;
      if (known.subject === who) return;
      known.subject = who;
      keepSubject(known.subjects, who);
    },
    read,
    take() {
      const taken = read();
      uses.clear();
      return taken;
    },
    add(taken) {
      for (const [kid, use] of taken) {
        const known = uses.get(kid);
        if (known === undefined) {
          if (uses.size < maxKeys)
            uses.set(kid, { ...use, subject: use.subjects.at(-1) ?? '', subjects: new Set(use.subjects) });
          continue;
        }
        known.lastUsedAt = Math.max(known.lastUsedAt, use.lastUsedAt);
        known.uses += use.uses;
        for (const subject of use.subjects) keepSubject(known.subjects, subject);
      }
    },
  };
}
