/**
 * Keeps the focus when the focused control is removed, for example when a button opens a form or a list entry is
 * deleted. The focus moves to the control's replacement or, if there is none, to the heading above it.
 */
import { type RefObject, useEffect, useRef } from 'react';

const field = 'input:not([type=hidden], [hidden], [readonly])';
const action = 'button:enabled, a[href]';

export function useFocusKept<T extends HTMLElement>(): RefObject<T | null> {
  const root = useRef<T>(null);
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    let last: { control: HTMLElement; around: Element } | undefined;

    function onFocus({ target }: FocusEvent): void {
      const control = target as HTMLElement;
      last = { control, around: control.closest('section') ?? (element as T) };
    }
    function onBlur({ target }: FocusEvent): void {
      // Some browsers fire `blur` when a focused control is removed, as they do when the user leaves it.
      queueMicrotask(() => {
        const control = target as HTMLElement;
        if (last?.control === control && control.isConnected && !control.matches(':disabled'))
          last = undefined;
      });
    }
    const observer = new MutationObserver((changes) => {
      if (last === undefined || document.activeElement !== document.body) return;
      const { control, around } = last;
      if (control.isConnected) {
        control.focus();
        return;
      }
      const container = around.isConnected ? around : (element as T);
      const added = changes
        .flatMap((change) => [...change.addedNodes])
        .filter((node) => node instanceof Element && container.contains(node)) as Element[];
      const heading = container.querySelector<HTMLElement>('h2, h1');
      heading?.setAttribute('tabindex', '-1');
      const wanted = ['[data-autofocus]', field, action];
      const next = wanted.map((selector) => firstOf(added, selector)).find((found) => found !== undefined);
      (next ?? heading)?.focus();
    });
    element.addEventListener('focusin', onFocus);
    element.addEventListener('focusout', onBlur);
    observer.observe(element, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('focusout', onBlur);
      observer.disconnect();
    };
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
