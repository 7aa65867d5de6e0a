/** The database that `link` saves, from a URL or a project ref. */

export interface LinkedTarget {
  readonly url: string;
  /** The project ref, if the project is hosted. */
  readonly ref?: string | undefined;
}

/** Project refs consist of twenty letters, so only a project ref can become part of the hostname. */
export const isProjectRef = (text: string): boolean => /^[a-z]{20}$/.test(text);

/** @param poolerUrl the URL that upstream's `link` wrote, which is used only if it belongs to this project's pooler */
export function hostedTarget(ref: string, poolerUrl?: string): LinkedTarget {
  return {
    ref,
    url:
      poolerOf(ref, poolerUrl) ?? `postgresql://postgres@db.${ref}.supabase.co:5432/postgres?sslmode=require`,
  };
}

/** Returns the pooler URL without its password placeholder. The port is 5432 (session mode) instead of 6543. */
function poolerOf(ref: string, text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!url.hostname.endsWith('.pooler.supabase.com') || url.username !== `postgres.${ref}`) return undefined;
  return `postgresql://postgres.${ref}@${url.hostname}:5432/postgres?sslmode=require`;
}

/** Returns the target to show to users, without a password. */
export function shownTarget({ url, ref }: LinkedTarget): string {
  return ref ?? url.replace(/^([a-z]+:\/\/[^/@:]*):[^@]*@/i, '$1@').replace(/\bpassword=\S+/i, 'password=…');
}
