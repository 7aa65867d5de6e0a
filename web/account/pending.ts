/** The code that was sent last. It is stored only in this tab, because a URL must not contain an address. */
import type { Address, CodePurpose } from './account-api.ts';

export interface Pending {
  readonly to: Address;
  readonly purpose: CodePurpose;
  /** Milliseconds since the epoch, or 0 if nothing was sent. */
  readonly sentAt: number;
  /** The number that confirms this window on the device that opens the link. */
  readonly number?: number | undefined;
}

const key = 'plinth-pending-code';

export function rememberCode(pending: Pending): void {
  sessionStorage.setItem(key, JSON.stringify(pending));
}

export function pendingCode(): Pending | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/** Whether a code was sent so recently that the service wouldn't send another one yet. */
export function wasJustSent(email: string, purpose: CodePurpose, resendAfterSeconds: number): boolean {
  const known = pendingCode();
  if (known === undefined || known.purpose !== purpose || !('email' in known.to)) return false;
  return known.to.email === email && Date.now() - known.sentAt < resendAfterSeconds * 1000;
}

export function forgetCode(): void {
  sessionStorage.removeItem(key);
}
