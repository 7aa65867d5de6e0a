/**
 * An action that the command palette requests from a page, such as opening a dialog. An intent never changes data,
 * because the operator must still confirm in the dialog.
 */
import { useEffect, useRef } from 'react';

export type Intent =
  | 'create-user'
  | 'invite-user'
  | 'ban-user'
  | 'delete-user'
  | 'act-as-user'
  | 'create-bucket'
  | 'create-cron-job'
  | 'create-function'
  | 'invite-operator';

/** An intent is dropped if no page has handled it after this time. */
const lifetimeMs = 10_000;
let pending: { readonly intent: Intent; readonly until: number } | undefined;
const listeners = new Set<() => void>();

export function requestIntent(intent: Intent): void {
  pending = { intent, until: Date.now() + lifetimeMs };
  for (const listener of listeners) listener();
}

/**
 * Calls the handler if the palette requests this intent, or if the palette requested it before the page was rendered.
 */
export function useIntent(handlers: Partial<Record<Intent, () => void>>): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const take = (): void => {
      if (pending === undefined) return;
      const handler = latest.current[pending.intent];
      if (handler === undefined) return;
      const isCurrent = pending.until > Date.now();
      pending = undefined;
      if (isCurrent) handler();
    };
    take();
    listeners.add(take);
    return () => void listeners.delete(take);
  }, []);
}
