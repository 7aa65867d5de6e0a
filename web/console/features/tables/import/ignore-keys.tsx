import { useLayoutEffect } from 'react';

/** Ignores keys while a dialog loads. Such keys are meant for the dialog but would change the cell that has focus. */
export function IgnoreKeys(): null {
  useLayoutEffect(() => {
    const ignore = (event: Event): void => {
      event.stopPropagation();
      // The browser's own shortcuts, such as the shortcut for reloading the page, keep working.
      if (!(event instanceof KeyboardEvent && (event.ctrlKey || event.metaKey))) event.preventDefault();
    };
    const types = ['keydown', 'copy', 'cut', 'paste'];
    for (const type of types) document.addEventListener(type, ignore, { capture: true });
    return () => {
      for (const type of types) document.removeEventListener(type, ignore, { capture: true });
    };
  }, []);
  return null;
}
