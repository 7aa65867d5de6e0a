/**
 * Handles input that arrived before the prerendered page became interactive. The script in index.html holds back forms
 * that were submitted during this time, and this module submits them. A password that was typed earlier exists only in
 * its field.
 */
import { useEffect } from 'react';

declare global {
  interface Window {
    plinthReady?: boolean;
    plinthEarly?: SubmitEvent;
    /** Switches the page to the version that works without scripts. */
    plinthStill(): void;
  }
}

/**
 * Must be called when the form is interactive. A page whose code is loaded later becomes interactive after the other
 * pages.
 */
export function useReady(): void {
  useEffect(() => {
    window.plinthReady = true;
    const early = window.plinthEarly;
    window.plinthEarly = undefined;
    const sender = early?.submitter ?? early?.target;
    if (sender instanceof HTMLFormElement) sender.requestSubmit();
    else if (sender instanceof HTMLElement) sender.click();
  }, []);
}

/** Passes text that a field already contains to `take`. */
export function useEarlyText(id: string, take: (text: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect handles only text that was present at mount
  useEffect(() => {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement && field.value !== '') take(field.value);
  }, []);
}
