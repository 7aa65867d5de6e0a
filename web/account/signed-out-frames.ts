/**
 * Handles the frames that load the pages of apps that the user has just signed out of
 * (`src/pages/account/core/ended-sessions.ts`).
 */
import { useSyncExternalStore } from 'react';

/** The maximum time to wait for the frames. A slower page doesn't delay the return to the app. */
const longestMs = 3000;

const hasFrames = (): boolean => document.querySelector('iframe[data-signed-out]') !== null;

/** Whether the page contains such frames, because the user has just signed out of apps with logout pages. */
export function useSignedOutFrames(): boolean {
  return useSyncExternalStore(
    () => () => {},
    hasFrames,
    () => false,
  );
}

/** Resolves when this page's load event fires, because the frames have then loaded, or after the maximum time. */
export function framesLoaded(): Promise<void> {
  return new Promise((resolve) => {
    if (document.readyState === 'complete') resolve();
    addEventListener('load', () => resolve(), { once: true });
    setTimeout(resolve, longestMs);
  });
}
