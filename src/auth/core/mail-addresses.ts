/** Which addresses mail may go to, by what the project allows and by what can receive mail at all. */

/**
 * @param allowed in lower case; empty allows everybody.
 * @example isAuthorized('ann+test@example.com', ['ann@example.com']) // true
 */
export function isAuthorized(email: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.includes(email.toLowerCase().replace(/\+[^@]+@/, '@'));
}

/** Domains that are set aside (RFC 2606, RFC 6762) and never receive mail. */
const reserved = /(?:^|\.)(?:test|example|invalid|local|localhost)$|^example\.(?:com|net|org)$/;

/** What is asked of DNS; both reject with `code` ENOTFOUND or ENODATA for a name without such records. */
export interface DomainLookup {
  resolveMx(domain: string): Promise<readonly { readonly exchange: string }[]>;
  resolve(domain: string): Promise<readonly string[]>;
}

/** False only for what is known not to: while DNS does not answer, mail is tried. */
export async function canReceiveMail(email: string, dns: DomainLookup): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  // A single label is a machine of some network, and no address of a user.
  if (!domain.includes('.') || reserved.test(domain)) return false;
  const hasMx = await exists(() => dns.resolveMx(domain));
  return hasMx !== false || (await exists(() => dns.resolve(domain))) !== false;
}

/** Undefined: nobody knows. */
async function exists(ask: () => Promise<readonly unknown[]>): Promise<boolean | undefined> {
  try {
    return (await ask()).length > 0;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOTFOUND' || code === 'ENODATA' ? false : undefined;
  }
}
