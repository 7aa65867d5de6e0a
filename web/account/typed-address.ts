/**
 * The address that was typed in the first step. This tab's address wins over the one of the browser, because two tabs
 * may sign in to different accounts. The address isn't part of any URL, so that it doesn't end up in logs.
 */
import { useSyncExternalStore } from 'react';
import { pageConfig, usePageConfig } from './page-config.ts';

const key = 'plinth-typed-email';

export const typedAddress = (): string => sessionStorage.getItem(key) ?? pageConfig.address;

export const keepTyped = (address: string): void => sessionStorage.setItem(key, address);

const never = () => () => {};

/** Returns the typed address. During hydration, it is the address that the server wrote into the page. */
export function useTypedAddress(): string {
  const { address } = usePageConfig();
  return useSyncExternalStore(never, typedAddress, () => address);
}
