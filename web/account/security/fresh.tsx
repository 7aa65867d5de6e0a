/**
 * Protects sensitive changes. Users who signed in a while ago must first confirm their identity. They do this in a
 * dialog above the page, so the page keeps everything that they have entered, and the change then continues.
 */
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import type { Session } from '../../lib/session/index.ts';
import { isStale, type User } from '../session.ts';
import { IdentityDialog } from './identity-dialog.tsx';

/** Returns whether the user has confirmed their identity. */
type Confirm = () => Promise<boolean>;

const SessionContext = createContext<Session<User> | undefined>(undefined);
const ConfirmContext = createContext<Confirm>(async () => false);

/** Provides {@link useFresh} and {@link useConfirmIdentity} to the sections of a signed-in user's page. */
export function IdentityConfirmation(props: { session: Session<User>; children: ReactNode }) {
  const { session, children } = props;
  const [asked, setAsked] = useState<(isConfirmed: boolean) => void>();
  const confirm = useCallback<Confirm>(
    () =>
      new Promise((resolve) => {
        setAsked(() => (isConfirmed: boolean) => {
          setAsked(undefined);
          resolve(isConfirmed);
        });
      }),
    [],
  );
  return (
    <SessionContext value={session}>
      <ConfirmContext value={confirm}>{children}</ConfirmContext>
      {asked === undefined ? null : <IdentityDialog user={session.user} onClose={asked} />}
    </SessionContext>
  );
}

/** Returns a function that opens the dialog and returns whether the user has confirmed their identity. */
export const useConfirmIdentity = (): Confirm => useContext(ConfirmContext);

/** Runs a sensitive change immediately, or after the user has confirmed their identity. */
export function useFresh(): (change: () => void) => void {
  const session = useContext(SessionContext);
  const confirm = useConfirmIdentity();
  return (change) => {
    if (session === undefined) return;
    if (!isStale(session)) return change();
    void confirm().then((isConfirmed) => {
      if (isConfirmed) change();
    });
  };
}

/** Returns a function that returns whether the sign-in is recent. If not, the user can first confirm their identity. */
export function useFreshSignIn(): Confirm {
  const session = useContext(SessionContext);
  const confirm = useConfirmIdentity();
  return async () => session !== undefined && (!isStale(session) || (await confirm()));
}
