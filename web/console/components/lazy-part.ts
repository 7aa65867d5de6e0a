/**
 * Loads parts of the app when they are needed. While the server isn't responding, the rest of the page and the text
 * typed in it are kept, and the part is loaded as soon as the server responds.
 */
import { lazy, useSyncExternalStore } from 'react';
import { untilReachable } from '../api/reachable.ts';

let delayed = 0;
const listeners = new Set<() => void>();

function addDelayed(change: 1 | -1): void {
  delayed += change;
  for (const listener of listeners) listener();
}

/** Whether the page waits for a part because the server isn't responding. */
export const useIsPartDelayed = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => delayed > 0,
  );

/** Calls `load` again after a failure, once the server responds. Fails if the server doesn't have the file. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    addDelayed(1);
    const wasDown = await untilReachable().finally(() => addDelayed(-1));
    await reloadStyles();
    return wasDown ? loadPart(load) : load();
  }
}

/** The links whose style sheet couldn't be loaded. */
const failed = new Set<HTMLLinkElement>();
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failed.add(target);
  },
  { capture: true },
);

let reloading: Promise<void> | undefined;

/**
 * Reloads the style sheets that failed to load, because Vite considers them loaded and doesn't load them again. Parts
 * that wait at the same time share one reload.
 */
function reloadStyles(): Promise<void> {
  reloading ??= Promise.all([...failed].map(reload)).then(() => {
    reloading = undefined;
  });
  return reloading;
}

function reload(link: HTMLLinkElement): Promise<unknown> {
  failed.delete(link);
  return new Promise((resolve) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.onload = resolve;
    again.onerror = resolve;
    link.replaceWith(again);
  });
}

/** Loads a component like `React.lazy`, but waits until the server responds. */
export const lazyPart: typeof lazy = (load) => lazy(() => loadPart(load));
