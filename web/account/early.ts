/**
 * Handles input from before the prerendered page is interactive. The script in index.html holds back a submitted form,
 * which is sent now. A password that was typed before then exists only in its field.
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

/** Must be called once the form is interactive, because a page that is loaded late hydrates after the others. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the text that was present at mount
  useEffect(() => {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement && field.value !== '') take(field.value);
  }, []);
}
