/** Determines whether the project allows emails to an address, and whether the address can receive email. */

/**
 * Whether the project allows emails to this address.
 *
 * @param allowed the allowed addresses in lowercase. If the list is empty, every address is allowed.
 * @example isAuthorized('ann+test@example.com', ['ann@example.com']) // true
 */
export function isAuthorized(email: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.includes(email.toLowerCase().replace(/\+[^@]+@/, '@'));
}

/** Reserved domains (RFC 2606, RFC 6762), which never receive email. */
const reserved = /(?:^|\.)(?:test|example|invalid|local|localhost)$|^example\.(?:com|net|org)$/;

/**
 * Queries DNS. Both methods reject with the error code ENOTFOUND or ENODATA if a name has no records of the requested
 * type.
 */
export interface DomainLookup {
  resolveMx(domain: string): Promise<readonly { readonly exchange: string }[]>;
  resolve(domain: string): Promise<readonly string[]>;
}

/** Whether a domain can receive email. Returns true if DNS doesn't respond, because the answer is then unknown. */
export async function canReceiveMail(email: string, dns: DomainLookup): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  // A domain without a dot is a local host name, which can't receive email from the internet.
  if (!domain.includes('.') || reserved.test(domain)) return false;
  const hasMx = await exists(() => dns.resolveMx(domain));
  return hasMx !== false || (await exists(() => dns.resolve(domain))) !== false;
}

/** Returns whether the DNS query found any records, or undefined if DNS doesn't respond. */
async function exists(ask: () => Promise<readonly unknown[]>): Promise<boolean | undefined> {
  try {
    return (await ask()).length > 0;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOTFOUND' || code === 'ENODATA' ? false : undefined;
  }
}
