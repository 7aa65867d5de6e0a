/** Defines the database that `plinth link` saves, which the user specifies by a URL or a project ref. */

export interface LinkedTarget {
  readonly url: string;
  /** The project ref of a hosted project. */
  readonly ref?: string | undefined;
}

/**
 * Whether the text is a project ref, which consists of twenty letters. This check ensures that no other text becomes
 * part of the hostname.
 */
export const isProjectRef = (text: string): boolean => /^[a-z]{20}$/.test(text);

/**
 * Returns a hosted project's database.
 *
 * @param poolerUrl the URL that the `link` command of upstream's CLI wrote. The URL is used only if it belongs to this
 * project's pooler.
 */
export function hostedTarget(ref: string, poolerUrl?: string): LinkedTarget {
  return {
    ref,
    url:
      poolerOf(ref, poolerUrl) ?? `postgresql://postgres@db.${ref}.supabase.co:5432/postgres?sslmode=require`,
  };
}

/** Returns the pooler URL without the password placeholder, and with port 5432 (session mode) instead of 6543. */
function poolerOf(ref: string, text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!url.hostname.endsWith('.pooler.supabase.com') || url.username !== `postgres.${ref}`) return undefined;
  return `postgresql://postgres.${ref}@${url.hostname}:5432/postgres?sslmode=require`;
}

/** Returns text that identifies the target to users and doesn't contain the password. */
export function shownTarget({ url, ref }: LinkedTarget): string {
  return ref ?? url.replace(/^([a-z]+:\/\/[^/@:]*):[^@]*@/i, '$1@').replace(/\bpassword=\S+/i, 'password=…');
}
