interface Named {
  readonly id: string;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

/** Returns the user's display name, which is the first of these that exists: email address, phone number, ID. */
export const nameOf = ({ email, phone, id }: Named): string => email || (phone ? `+${phone}` : id);

/**
 * Returns one or two letters that represent a user. User pictures aren't shown, because they would require requests to
 * other servers.
 */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/).filter((word) => /\p{L}|\p{N}/u.test(word));
  return words
    .slice(0, name.includes('@') ? 1 : 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');
}

const decadeMs = 10 * 365 * 24 * 3_600_000;

/** Whether a ban lasts until it is lifted. The auth service stores such a ban with an end about a century away. */
export const isUntilLifted = (until: string): boolean => Date.parse(until) > Date.now() + decadeMs;

export const isBanned = (until: string | null | undefined): boolean =>
  Boolean(until && Date.parse(until) > Date.now());
