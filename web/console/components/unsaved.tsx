/**
 * Asks for confirmation before unsaved input is discarded. Input can be discarded when a dialog closes, when the
 * operator leaves the page through a link or the Back button, and when the tab closes. While callers save the input,
 * they must report that nothing is unsaved.
 */
import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../text.ts';
import { Confirm } from './confirm.tsx';

export interface Unsaved {
  /** Closes the form. If there is unsaved input, asks for confirmation first. */
  readonly close: () => void;
  /** The confirmation dialog, to be rendered next to the form. */
  readonly question: ReactNode;
  /** Allows leaving without confirmation until `hold` is called. Call this when the form is submitted. */
  readonly release: () => void;
  readonly hold: () => void;
}

interface Place {
  readonly pathname: string;
  readonly search: object;
}

export type Scope = (current: Place, next: Place) => boolean;

export function useUnsaved(
  isDirty: boolean,
  onClose: () => void,
  /**
   * With `page`, confirmation isn't required if only the parameters of the page's URL change. A function returns whether
   * the input is lost at the next address.
   */
  scope: 'address' | 'page' | Scope = 'address',
): Unsaved {
  const [isConfirming, setConfirming] = useState(false);
  const isGivenUp = useRef(false);
  // The dialog's key handler can be older than the content that the operator sees, so it reads the state from here.
  const isDirtyNow = useRef(isDirty);
  useLayoutEffect(() => {
    isDirtyNow.current = isDirty;
  }, [isDirty]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !isGivenUp.current &&
      (typeof scope === 'function'
        ? scope(current, next)
        : scope === 'address' || current.pathname !== next.pathname),
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
    withResolver: true,
  });
  const isBlocked = blocker.status === 'blocked';
  return {
    release: () => {
      isGivenUp.current = true;
    },
    hold: () => {
      isGivenUp.current = false;
    },
    close: () => (isDirtyNow.current ? setConfirming(true) : onClose()),
    question:
      isConfirming || isBlocked ? (
        <Confirm
          title={t('unsaved.title')}
          action={t('unsaved.discard')}
          isBusy={false}
          error={null}
          onConfirm={() => {
            isGivenUp.current = true;
            if (isBlocked) blocker.proceed();
            else onClose();
          }}
          onClose={() => {
            setConfirming(false);
            if (isBlocked) blocker.reset();
          }}
        >
          {t('unsaved.text')}
        </Confirm>
      ) : null,
  };
}

const Report = createContext<(more: 1 | -1) => void>(() => undefined);

/** Collects the parts of a dialog that have unsaved input. */
export const UnsavedParts = Report.Provider;

/** Reports to the surrounding dialog whether this part has unsaved input. */
export function useDirty(isDirty: boolean): void {
  const report = useContext(Report);
  // A layout effect runs before the next event, so the state is current even if Escape is pressed right after typing.
  useLayoutEffect(() => {
    if (!isDirty) return;
    report(1);
    return () => report(-1);
  }, [isDirty, report]);
}
