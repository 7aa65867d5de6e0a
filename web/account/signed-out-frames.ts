/**
 * Handles the frames that load the pages of apps that the user has just signed out of (`src/account/core/frames.ts`).
 */
import { useSyncExternalStore } from 'react';

/** The maximum time to wait for the frames. A slower page doesn't delay the return to the app. */
const longestMs = 3000;

const hasFrames = (): boolean => document.querySelector('iframe[data-signed-out]') !== null;

/** Whether the user has just signed out of apps that have such pages. */
export function useSignedOutFrames(): boolean {
  return useSyncExternalStore(
    () => () => {},
    hasFrames,
    () => false,
  );
}

/** Resolves when the frames have loaded. The load event of this page waits for them. */
export function framesLoaded(): Promise<void> {
  return new Promise((resolve) => {
    if (document.readyState === 'complete') resolve();
    addEventListener('load', () => resolve(), { once: true });
    setTimeout(resolve, longestMs);
  });
}
