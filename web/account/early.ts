/**
 * Handles input from before the prerendered page is interactive. The script in index.html holds back a submitted form,
 * which is sent now, and a password typed by then exists only in its field.
 */
import { useEffect } from 'react';

declare global {
  interface Window {
    plinthReady?: boolean;
    plinthEarly?: SubmitEvent;
    /** Switches the page to its version without scripts. */
    plinthStill(): void;
  }
}

/** Must run once the form is interactive, because a page that is loaded late hydrates after the others. */
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

/** Passes on text that a field already contains. */
export function useEarlyText(id: string, take: (text: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was there at the start
  useEffect(() => {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement && field.value !== '') take(field.value);
  }, []);
}
