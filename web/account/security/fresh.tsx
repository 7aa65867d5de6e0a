/**
 * Protects sensitive changes. Users who signed in a while ago must first confirm their identity, and are then
 * redirected back to the page.
 */
import { createContext, useContext } from 'react';
import { useLocation } from 'wouter';
import type { Session } from '../../lib/session/index.ts';
import { backToSecurity, currentFlow } from '../flow.ts';
import { isStale, type User, verifiedFactors } from '../session.ts';

export const SessionContext = createContext<Session<User> | undefined>(undefined);

/** Runs a sensitive change immediately, or first opens the page that confirms the user's identity. */
export function useFresh(): (change: () => void) => void {
  const session = useContext(SessionContext);
  const [, navigate] = useLocation();
  return (change) => {
    if (session === undefined) return;
    if (!isStale(session)) change();
    else {
      const page = verifiedFactors(session.user).length > 0 ? '/mfa' : '/sign-in';
      navigate(`${page}${backToSecurity(currentFlow())}&again=1`);
    }
  };
}
