/**
 * Checks which addresses email can be sent to: the project must allow the address, and it must be able to receive
 * email.
 */

/**
 * @param allowed in lower case; empty allows every address
 * @example isAuthorized('ann+test@example.com', ['ann@example.com']) // true
 */
export function isAuthorized(email: string, allowed: readonly string[]): boolean {
  return allowed.length === 0 || allowed.includes(email.toLowerCase().replace(/\+[^@]+@/, '@'));
}

/** Reserved domains (RFC 2606, RFC 6762), which never receive email. */
const reserved = /(?:^|\.)(?:test|example|invalid|local|localhost)$|^example\.(?:com|net|org)$/;

/** DNS queries. Both reject with the code ENOTFOUND or ENODATA if a name has no such records. */
export interface DomainLookup {
  resolveMx(domain: string): Promise<readonly { readonly exchange: string }[]>;
  resolve(domain: string): Promise<readonly string[]>;
}

/** Returns false only if the domain certainly can't receive email. If DNS doesn't respond, returns true. */
export async function canReceiveMail(email: string, dns: DomainLookup): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  // A single label is a local host name.
  if (!domain.includes('.') || reserved.test(domain)) return false;
  const hasMx = await exists(() => dns.resolveMx(domain));
  return hasMx !== false || (await exists(() => dns.resolve(domain))) !== false;
}

/** Undefined if DNS doesn't respond. */
async function exists(ask: () => Promise<readonly unknown[]>): Promise<boolean | undefined> {
  try {
    return (await ask()).length > 0;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'ENOTFOUND' || code === 'ENODATA' ? false : undefined;
  }
}
