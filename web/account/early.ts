/**
 * Handles input that arrived before the prerendered page became interactive. The script in index.html holds back forms
 * that are submitted during this time, and this module submits them later. A password that is typed during this time
 * isn't stored anywhere except in its field.
 */
import { useEffect, useSyncExternalStore } from 'react';

declare global {
  interface Window {
    plinthReady?: boolean;
    plinthEarly?: SubmitEvent;
    /** Switches the page to the version that works without scripts. */
    plinthStill(): void;
  }
}

const never = () => () => {};

/**
 * Reports that the form is interactive. A page whose code is loaded on demand becomes interactive later than other
 * pages. Forms that were held back are submitted after the first update that follows hydration, because `useFlow` and
 * `usePageConfig` don't return this page's values before that update.
 */
export function useReady(): void {
  const isHydrated = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  useEffect(() => {
    if (!isHydrated) return;
    window.plinthReady = true;
    const early = window.plinthEarly;
    window.plinthEarly = undefined;
    early?.submitter?.removeAttribute('data-early');
    const sender = early?.submitter ?? early?.target;
    if (sender instanceof HTMLFormElement) sender.requestSubmit();
    else if (sender instanceof HTMLElement) sender.click();
  }, [isHydrated]);
}

/** Calls `take` with the text that the field already contains. */
export function useEarlyText(id: string, take: (text: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect handles only text that was present at mount
  useEffect(() => {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement && field.value !== '') take(field.value);
  }, []);
}
