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

export function forgetCode(): void {
  sessionStorage.removeItem(key);
}
