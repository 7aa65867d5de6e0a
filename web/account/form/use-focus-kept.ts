/**
 * Moves the focus when the focused control is removed, for example because a button opens a form or a list entry is
 * deleted. The focus moves to the control's replacement or, without a replacement, to the heading above the control.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { watchFocus } from '../../ui/watch-focus.ts';

const field = 'input:not([type=hidden], [hidden], [readonly])';
const action = 'button:enabled, a[href]';

export function useFocusKept<T extends HTMLElement>(): RefObject<T | null> {
  const root = useRef<T>(null);
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    return watchFocus(element, ({ path, changes }) => {
      const around = path.find(({ localName }) => localName === 'section');
      const container = around?.isConnected ? around : element;
      const added = changes
        .flatMap((change) => [...change.addedNodes])
        .filter((node) => node instanceof Element && container.contains(node)) as Element[];
      const heading = container.querySelector<HTMLElement>('h2, h1');
      heading?.setAttribute('tabindex', '-1');
      const wanted = ['[data-autofocus]', field, action];
      const next = wanted.map((selector) => firstOf(added, selector)).find((found) => found !== undefined);
      (next ?? heading)?.focus();
    });
  }, []);
  return root;
}

function firstOf(elements: readonly Element[], selector: string): HTMLElement | undefined {
  for (const element of elements) {
    const found = element.matches(selector) ? element : element.querySelector(selector);
    if (found !== null) return found as HTMLElement;
  }
  return undefined;
}
