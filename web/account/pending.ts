/** Which code somebody was just sent. Kept in this tab only; an address does not belong into a URL. */
import type { Address, CodePurpose } from './account-api.ts';

export interface Pending {
  readonly to: Address;
  readonly purpose: CodePurpose;
  /** Milliseconds since the epoch; 0 when nothing was sent yet. */
  readonly sentAt: number;
}

const key = 'plinth-pending-code';

export function rememberCode(pending: Pending): void {
  sessionStorage.setItem(key, JSON.stringify(pending));
}

export function pendingCode(): Pending | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Pending);
}

/** A code went there so lately that the service would not send another: it is on its way, or in the inbox. */
export function isOnItsWay(email: string, purpose: CodePurpose, resendAfterSeconds: number): boolean {
  const known = pendingCode();
  if (known === undefined || known.purpose !== purpose || !('email' in known.to)) return false;
  return known.to.email === email && Date.now() - known.sentAt < resendAfterSeconds * 1000;
}

export function forgetCode(): void {
  sessionStorage.removeItem(key);
}
