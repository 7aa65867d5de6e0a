/**
 * Asks for confirmation before input is lost, when a dialog closes, when the operator leaves the page by a link or Back, or when
 * the tab closes. Callers aren't dirty while they save.
 */
import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../text.ts';
import { Confirm } from './confirm.tsx';

export interface Unsaved {
  /** Closes, or asks for confirmation first. */
  readonly close: () => void;
  /** The confirmation dialog, to render beside the form. */
  readonly question: ReactNode;
  /** Allows leaving after the form was sent, until `hold` is called. */
  readonly release: () => void;
  readonly hold: () => void;
}

export function useUnsaved(
  isDirty: boolean,
  onClose: () => void,
  /** `page`: the input survives a change of the address within the page. */
  scope: 'address' | 'page' = 'address',
): Unsaved {
  const [isAsking, setAsking] = useState(false);
  const isGivenUp = useRef(false);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !isGivenUp.current && (scope === 'address' || current.pathname !== next.pathname),
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
    close: () => (isDirty ? setAsking(true) : onClose()),
    question:
      isAsking || isBlocked ? (
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
            setAsking(false);
            if (isBlocked) blocker.reset();
          }}
        >
          {t('unsaved.text')}
        </Confirm>
      ) : null,
  };
}

const Report = createContext<(more: 1 | -1) => void>(() => undefined);

/** Collects the dirty parts of a dialog. */
export const UnsavedParts = Report.Provider;

/** Reports to the dialog whether this part has input. */
export function useDirty(isDirty: boolean): void {
  const report = useContext(Report);
  // Runs before the next event, so that an Escape right after typing is handled correctly.
  useLayoutEffect(() => {
    if (!isDirty) return;
    report(1);
    return () => report(-1);
  }, [isDirty, report]);
}
