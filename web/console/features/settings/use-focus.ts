/** Moves the focus to a setting, and scrolls the list of pages to the open page. */
import { useEffect } from 'react';
import { fieldId } from './form.ts';
import nav from './nav.module.css';

/** Scrolls the list until the link of the open page is visible. */
export function useOpenPageVisible(id: string | undefined): void {
  useEffect(() => {
    if (id !== undefined)
      document.querySelector(`.${nav.pages} [aria-current]`)?.scrollIntoView({ block: 'nearest' });
  }, [id]);
}

/** Shows the setting that the page's URL names, and moves the focus to the setting's control. */
export function useFocus(key: string | undefined, jumps: number, isReady: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each jump moves the focus again
  useEffect(() => {
    if (key === undefined || !isReady) return;
    const until = performance.now() + settleMs;
    let frame = requestAnimationFrame(function show() {
      const field = document.getElementById(fieldId(key));
      if (field === null) {
        // An email's fields don't appear until its templates have been loaded.
        if (performance.now() < until) frame = requestAnimationFrame(show);
        return;
      }
      for (
        let above = field.closest('details');
        above !== null;
        above = above.parentElement?.closest('details') ?? null
      )
        above.open = true;
      field.focus({ preventScroll: true });
      field.scrollIntoView({ block: 'center' });
    });
    return () => cancelAnimationFrame(frame);
  }, [key, jumps, isReady]);
}

/** The maximum time to wait until a setting's field appears. */
const settleMs = 5000;
