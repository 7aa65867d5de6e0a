/** Moves the focus to the neighbors of a control that was removed, for example together with a deleted row. */
import { useEffect } from 'react';
import { pathOf, watchFocus } from '../../../ui/watch-focus.ts';

const tabbable = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex="0"]';

/** The control and its ancestors, innermost first. */
export type FocusPath = readonly Element[];

/** The path of the focused control. A menu item is replaced by the button that opened the menu. */
export function focusPath(): FocusPath {
  const focused = document.activeElement;
  const menu = focused?.closest('[role=menu][aria-labelledby]');
  const button = document.getElementById(menu?.getAttribute('aria-labelledby') ?? '');
  return pathOf(button ?? focused, document.body);
}

/**
 * Focuses the control or, if it was removed or disabled, the first control in the nearest ancestor that still exists.
 */
export function focusNearest(path: FocusPath): void {
  const boundary = path.findIndex((element) => element.matches('[role=dialog], main'));
  for (const element of boundary === -1 ? path : path.slice(0, boundary + 1)) {
    if (element.isConnected && focusFirst([element, ...element.querySelectorAll(tabbable)])) return;
  }
}

/** Focuses the first control inside the element. */
export function focusInside(element: Element | null): void {
  focusFirst(element?.querySelectorAll(tabbable) ?? []);
}

/** Focuses the first element that is visible and enabled. Returns false if there isn't such an element. */
function focusFirst(elements: Iterable<Element>): boolean {
  for (const target of elements) {
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    if (document.activeElement === target) return true;
  }
  return false;
}

/** Moves the focus to a nearby control if the focused control is removed. The table grid moves the focus itself. */
export function useNearestFocus(): void {
  useEffect(
    () =>
      watchFocus(document.body, ({ path }) => {
        if (!path.some((element) => element.role === 'grid')) focusNearest(path);
      }),
    [],
  );
}
