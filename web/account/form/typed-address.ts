/**
 * Stores the address that was typed in the first step. The address stored for this tab takes precedence over the
 * address stored for the browser, because the user may sign in to different accounts in two tabs. The address isn't
 * part of any URL, so it doesn't appear in logs.
 */
import { useSyncExternalStore } from 'react';
import { pageConfig, usePageConfig } from '../page-config.ts';

const key = 'plinth-typed-email';

// If the user has selected an account from the list, the page contains that account's address, which replaces the typed
// address.
if (typeof window !== 'undefined' && new URLSearchParams(window.location.search).has('chosen')) forgetTyped();

export const typedAddress = (): string => sessionStorage.getItem(key) ?? pageConfig.address;

export const keepTyped = (address: string): void => sessionStorage.setItem(key, address);

/** Called when the sign-in is complete. */
export function forgetTyped(): void {
  sessionStorage.removeItem(key);
}

const never = () => () => {};

/** Returns the typed address. During hydration, returns the address that the server wrote into the page. */
export function useTypedAddress(): string {
  const { address } = usePageConfig();
  return useSyncExternalStore(never, typedAddress, () => address);
}
