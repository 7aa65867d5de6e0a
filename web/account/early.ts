/**
 * What people do before the prerendered page has become interactive: a form sent by then was held back by the script in
 * index.html, and is sent now; a password typed by then stands in the field only.
 */
import { useEffect } from 'react';

declare global {
  interface Window {
    plinthReady?: boolean;
    plinthEarly?: SubmitEvent;
    /** Makes the page one without scripts. */
    plinthStill(): void;
  }
}

/** Once the form listens: a page that is loaded late wakes up after the others. */
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

/** Tells what a field holds already. */
export function useEarlyText(id: string, take: (text: string) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was there at the start
  useEffect(() => {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement && field.value !== '') take(field.value);
  }, []);
}
