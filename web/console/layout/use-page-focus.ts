/**
 * Moves the focus to the content when another page opens. Otherwise, keyboard users would have to pass the rest of the
 * menu first.
 */
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

export function usePageFocus(): void {
  // The first part of the path is the page. The other parts are, for example, a table.
  const page = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname.split('/')[1] });
  const lastPage = useRef<string>(undefined);
  useEffect(() => {
    const isFirst = lastPage.current === undefined;
    lastPage.current = page;
    if (!isFirst) focusContent();
  }, [page]);
}

/**
 * Focuses the content, or the details beside a list. Does nothing if the focus is already inside. With `isChosen`, the
 * operator chose this place, so only a field of the new page keeps the focus.
 */
export function focusContent(isChosen = false): void {
  const content = document.getElementById('content');
  const focused = document.activeElement;
  const isInside = focused !== content && content?.contains(focused) === true;
  if (isInside && (!isChosen || focused?.matches(fields) === true)) return;
  const details = content?.querySelector<HTMLElement>('[data-details]');
  (details?.checkVisibility() === true ? details : content)?.focus({ preventScroll: true });
}

const fields = 'input, textarea, select, [contenteditable=true]';
