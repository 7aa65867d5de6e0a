/** Moves the focus to a setting, and shows the open page in the list. */
import { useEffect } from 'react';
import { fieldId } from './form.ts';
import nav from './nav.module.css';

/** Scrolls the list so that the link of the open page is visible. */
export function useOpenPageVisible(id: string | undefined): void {
  useEffect(() => {
    if (id !== undefined)
      document.querySelector(`.${nav.pages} [aria-current]`)?.scrollIntoView({ block: 'nearest' });
  }, [id]);
}

/** Shows the setting in the page's address and moves the focus to its control. */
export function useFocus(key: string | undefined, jumps: number, isReady: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each jump moves the focus again
  useEffect(() => {
    if (key === undefined || !isReady) return;
    const until = performance.now() + settleMs;
    let frame = requestAnimationFrame(function show() {
      const field = document.getElementById(fieldId(key));
      if (field === null) {
        // The templates of an email are loaded before their fields appear.
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

/** How long the field of a setting may take to appear. */
const settleMs = 5000;
