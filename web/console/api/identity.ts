/**
 * Lets a request wait until the operator has confirmed their identity. The server rejects some actions if the sign-in
 * is too old. The page then asks for a confirmation and repeats the request, so the operator doesn't need to enter
 * anything again.
 */
import { useSyncExternalStore } from 'react';

interface Confirmation {
  readonly result: Promise<boolean>;
  readonly settle: (isConfirmed: boolean) => void;
}

let pending: Confirmation | undefined;
const listeners = new Set<() => void>();

function setPending(next: Confirmation | undefined): void {
  pending = next;
  for (const listener of listeners) listener();
}

/** Resolves to false if the operator cancels. Requests that wait at the same time share the dialog. */
export function confirmIdentity(): Promise<boolean> {
  if (pending === undefined) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    setPending({
      result: promise,
      settle(isConfirmed) {
        setPending(undefined);
        resolve(isConfirmed);
      },
    });
  }
  return (pending as Confirmation | undefined)?.result ?? Promise.resolve(false);
}

export const usePendingConfirmation = (): Confirmation | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
