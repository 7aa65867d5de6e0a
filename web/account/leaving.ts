import type { Problem } from '../ui/error-summary.tsx';
import { sessionClient } from './session.ts';
import { inWords } from './texts.ts';

/**
 * Returns a function that signs the user in and continues. `onLeave` is called with true at the start, so the page
 * doesn't show "already signed in" before it redirects. If the user is signed in but the next step fails, `onLeave` is
 * called with false, and the page shows the user and the error.
 */
export function useLeaving(
  onLeave: (leaving: boolean) => void,
  onProblems: (problems: readonly Problem[]) => void,
): (work: () => Promise<void>) => Promise<undefined> {
  return async (work) => {
    onLeave(true);
    try {
      await work();
    } catch (error) {
      if (sessionClient().state().status === 'signed-in') {
        onProblems([await inWords(({ problemOf }) => problemOf(error))]);
      }
      onLeave(false);
      throw error;
    }
  };
}
