/** Which database `link` remembers, from a URL or from the reference of a hosted project. */

export interface LinkedTarget {
  readonly url: string;
  /** Of a hosted project. */
  readonly ref?: string | undefined;
}

/** Upstream's projects have references of twenty letters; nothing else may become part of a host's name. */
export const isProjectRef = (text: string): boolean => /^[a-z]{20}$/.test(text);

/** @param poolerUrl what upstream's own `link` has written; taken only if it is the pooler of this project. */
export function hostedTarget(ref: string, poolerUrl?: string): LinkedTarget {
  return {
    ref,
    url:
      poolerOf(ref, poolerUrl) ?? `postgresql://postgres@db.${ref}.supabase.co:5432/postgres?sslmode=require`,
  };
}

/** Without the placeholder for a password. Its port 5432 keeps a session, which 6543 doesn't. */
function poolerOf(ref: string, text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!url.hostname.endsWith('.pooler.supabase.com') || url.username !== `postgres.${ref}`) return undefined;
  return `postgresql://postgres.${ref}@${url.hostname}:5432/postgres?sslmode=require`;
}

/** As people see it: without a password. */
export function shownTarget({ url, ref }: LinkedTarget): string {
  return ref ?? url.replace(/^([a-z]+:\/\/[^/@:]*):[^@]*@/i, '$1@').replace(/\bpassword=\S+/i, 'password=…');
}
