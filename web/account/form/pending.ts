/**
 * Stores data about the code that was sent last. URLs must not contain an address, so the browser stores the data for
 * this tab and, for an hour, for new tabs.
 */
import { type Address, type CodePurpose, sendCode } from '../account-api.ts';
import { pageConfig } from '../page-config.ts';

export interface Pending {
  readonly to: Address;
  readonly purpose: CodePurpose;
  /** The time at which the code was sent, in milliseconds since the epoch. 0 if no code was sent. */
  readonly sentAt: number;
  /** The number that this window shows. The user types this number on the device that opens the link. */
  readonly number?: number | undefined;
  /** Whether the password was correct and the code confirms a new device. */
  readonly isNewDevice?: boolean;
}

const key = 'plinth-pending-code';
const keptForMs = 3_600_000;

export function rememberCode(pending: Pending): void {
  const text = JSON.stringify(pending);
  sessionStorage.setItem(key, text);
  localStorage.setItem(key, text);
}

export function pendingCode(): Pending | undefined {
  const own = sessionStorage.getItem(key);
  const text = own ?? localStorage.getItem(key);
  const pending = text === null ? undefined : (JSON.parse(text) as Pending);
  const isOver = own === null && pending !== undefined && Date.now() - pending.sentAt > keptForMs;
  return isOver ? undefined : pending;
}

/**
 * Sends a code, and stores where and when it was sent. If a code was sent a moment ago, doesn't send another code,
 * because the service would reject the request. For example, the user may have gone back from the code page.
 */
export async function startCode(to: Address, purpose: CodePurpose): Promise<void> {
  if (wasJustSent(to, purpose)) return;
  const { number } = await sendCode(to, purpose);
  rememberCode({ to, purpose, sentAt: Date.now(), number });
}

function wasJustSent(to: Address, purpose: CodePurpose): boolean {
  const known = pendingCode();
  if (known === undefined || known.purpose !== purpose) return false;
  const isSame = JSON.stringify(known.to) === JSON.stringify(to);
  return isSame && Date.now() - known.sentAt < pageConfig.resendAfter * 1000;
}

export function forgetCode(): void {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}
