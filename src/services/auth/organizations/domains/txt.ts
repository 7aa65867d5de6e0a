/** Looks up the TXT record with which an organization proves that it controls a domain. */

export type TxtLookup = (name: string) => Promise<readonly string[]>;

/** `unknown` means that the DNS didn't answer, so nothing is known about the record. */
export type TxtResult = 'found' | 'missing' | 'unknown';

const timeoutMs = 3000;
const tries = 2;

/** The name of the record. A separate name keeps the record apart from others, such as SPF. */
export const recordName = (domain: string): string => `_plinth-challenge.${domain}`;

export const recordValue = (token: string): string => `plinth-domain-verification=${token}`;

/** The errors that mean that the name has no TXT record. */
const absent: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Returns a function that reads TXT records. @param servers the DNS servers, by default those of the system */
export function createTxtLookup(servers?: readonly string[]): TxtLookup {
  return async (name) => {
    // Loads the module for the first lookup, because most servers need none.
    const { Resolver } = process.getBuiltinModule('node:dns/promises');
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const records = await resolver.resolveTxt(name);
    return records.map((chunks) => chunks.join(''));
  };
}

export async function checkRecord(lookup: TxtLookup, domain: string, token: string): Promise<TxtResult> {
  try {
    const records = await lookup(recordName(domain));
    return records.some((record) => record.trim() === recordValue(token)) ? 'found' : 'missing';
  } catch (error) {
    return absent.has((error as { code?: unknown }).code) ? 'missing' : 'unknown';
  }
}
