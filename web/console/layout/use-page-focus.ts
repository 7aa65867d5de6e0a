/**
 * Moves the focus to the heading when another page opens. Otherwise, keyboard users would have to pass the rest of the
 * menu first.
 */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

export function usePageFocus(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const lastPath = useRef<string>(undefined);
  useEffect(() => {
    const isFirst = lastPath.current === undefined;
    lastPath.current = path;
    if (!isFirst) focusContent();
  }, [path]);
}

/**
 * Focuses the heading of the page, or of the details beside a list. Does nothing if the focus is already inside the
 * page's content. If `isChosen` is set, the operator has just opened this page, so only a text field or select element
 * keeps the focus.
 */
export function focusContent(isChosen = false): void {
  const content = document.getElementById('content');
  const focused = document.activeElement;
  const isInside = focused !== content && content?.contains(focused) === true;
  if (isInside && (!isChosen || focused?.matches(fields) === true)) return;
  const details = content?.querySelector<HTMLElement>('[data-details]');
  const place = details?.checkVisibility() === true ? details : content;
  if (place !== null) focusHeading(place);
}

const fields = 'input, textarea, select, [contenteditable=true]';

/**
 * Focuses the heading. If the heading appears only after the page's data has loaded, `place` has the focus until then.
 */
function focusHeading(place: HTMLElement): void {
  place.focus({ preventScroll: true });
  const hasMoved = (): boolean => {
    if (document.activeElement !== place) return true;
    const heading = place.querySelector<HTMLElement>('h1, h2');
    if (heading === null) return false;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    return true;
  };
  if (hasMoved()) return;
  const observer = new MutationObserver(() => {
    if (hasMoved()) observer.disconnect();
  });
  observer.observe(place, { childList: true, subtree: true });
}
