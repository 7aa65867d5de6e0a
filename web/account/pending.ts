/**
 * The code that was sent last. A URL must not contain an address, so the browser stores it: for this tab, and for an
 * hour also for new tabs.
 */
import { type Address, type CodePurpose, sendCode } from './account-api.ts';
import { pageConfig } from './page-config.ts';

export interface Pending {
  readonly to: Address;
  readonly purpose: CodePurpose;
  /** Milliseconds since the epoch, or 0 if nothing was sent. */
  readonly sentAt: number;
  /** The number that confirms this window on the device that opens the link. */
  readonly number?: number | undefined;
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
 * Sends a code and remembers it. If a code was sent a moment ago, no other code is sent, because the service would
 * reject it. This happens if the user went back from the code page.
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
