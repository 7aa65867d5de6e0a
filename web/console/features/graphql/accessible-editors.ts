/**
 * Completes the markup of GraphiQL's editors for assistive technology. CodeMirror creates its elements itself, so they
 * can't be completed with properties of components.
 */

/** Completes the elements in `root` and those that are added later. Returns a function that stops this. */
export function completeMarkup(root: HTMLElement): () => void {
  complete(root);
  const observer = new MutationObserver(() => complete(root));
  observer.observe(root, { childList: true, subtree: true });
  return () => observer.disconnect();
}

function complete(root: HTMLElement): void {
  for (const input of root.querySelectorAll('.CodeMirror textarea:not([aria-label])')) {
    const region = input.closest('section[aria-label]');
    input.setAttribute('aria-label', region?.getAttribute('aria-label') ?? '');
  }
  // A region that scrolls must be reachable with the keyboard.
  for (const scroller of root.querySelectorAll('.CodeMirror-scroll:not([tabindex="0"])'))
    scroller.setAttribute('tabindex', '0');
  // A tab can't contain buttons, and the buttons of GraphiQL's tabs have all functions of the tabs.
  for (const tab of root.querySelectorAll('[role="tab"]:has(button)'))
    for (const name of ['role', 'aria-selected', 'aria-controls']) tab.removeAttribute(name);
  for (const list of root.querySelectorAll('[role="tablist"]:not(:has([role="tab"]))'))
    list.removeAttribute('role');
}
