/**
 * Collects the text that the operator types before a field has focus, for example while the code of the palette, of a
 * cell's editor or of the search panel is loading. Otherwise, these key presses would be lost or would change the page.
 */

/** If the field doesn't receive focus within this time, the keys apply to the page again. */
const lifetimeMs = 5000;

let text = '';
let abort: AbortController | undefined;

/** Starts collecting. Does nothing if collecting has already started. */
export function collectTyped(): void {
  if (abort !== undefined) return;
  abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  document.addEventListener('keydown', collect, options);
  document.addEventListener('pointerdown', takeTyped, options);
  const timer = setTimeout(takeTyped, lifetimeMs);
  abort.signal.addEventListener('abort', () => clearTimeout(timer));
}

function collect(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === 'Backspace') text = text.slice(0, -1);
  else if ([...event.key].length === 1) text += event.key;
  // The Enter key is also blocked, because it would press a button on the page.
  else if (event.key !== 'Enter') return;
  event.preventDefault();
  event.stopPropagation();
}

/** Stops collecting and returns the text. */
export function takeTyped(): string {
  const typed = text;
  text = '';
  abort?.abort();
  abort = undefined;
  return typed;
}

/** Stops collecting and inserts the text into the field that has focus, as if it had been typed there. */
export function insertTyped(): void {
  const typed = takeTyped();
  // React notices the change only if it is made with this deprecated function.
  if (typed !== '') document.execCommand('insertText', false, typed);
}
