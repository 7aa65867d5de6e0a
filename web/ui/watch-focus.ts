/**
 * Detects that the focused control was removed, for example when a list entry is deleted. Without this module, the
 * focus would move to the start of the page. A control that was only temporarily disabled gets the focus back.
 */
export interface LostFocus {
  /** The removed control and the elements that contained it, innermost first. */
  readonly path: readonly Element[];
  readonly changes: readonly MutationRecord[];
}

/** Returns a function that stops watching. */
export function watchFocus(root: HTMLElement, onLost: (lost: LostFocus) => void): () => void {
  let path: readonly Element[] = [];

  function onFocus({ target }: FocusEvent): void {
    path = pathOf(target as Element, root);
  }
  function onBlur({ target }: FocusEvent): void {
    // Some browsers fire `blur` both when a focused control is removed and when the user leaves the control.
    queueMicrotask(() => {
      const control = target as HTMLElement;
      if (path[0] === control && control.isConnected && !control.matches(':disabled')) path = [];
    });
  }
  const observer = new MutationObserver((changes) => {
    const [control] = path;
    if (control === undefined || document.activeElement !== document.body) return;
    if (control.isConnected) (control as HTMLElement).focus();
    else onLost({ path, changes });
  });
  root.addEventListener('focusin', onFocus);
  root.addEventListener('focusout', onBlur);
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    root.removeEventListener('focusin', onFocus);
    root.removeEventListener('focusout', onBlur);
    observer.disconnect();
  };
}

/** The element and the elements that contain it, up to `root`. */
export function pathOf(element: Element | null, root: Element): readonly Element[] {
  const path: Element[] = [];
  for (let at = element; at !== null && at !== root; at = at.parentElement) path.push(at);
  return path;
}
