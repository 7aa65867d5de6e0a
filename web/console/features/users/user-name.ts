interface Named {
  readonly id: string;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

/** The user's display name: the email address, otherwise the phone number, otherwise the ID. */
export const nameOf = ({ email, phone, id }: Named): string => email || (phone ? `+${phone}` : id);

/** One or two letters that stand for a user. Pictures of users would be requests to other servers. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/).filter((word) => /\p{L}|\p{N}/u.test(word));
  return words
    .slice(0, name.includes('@') ? 1 : 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');
}

export const isBanned = (until: string | null | undefined): boolean =>
  Boolean(until && Date.parse(until) > Date.now());
