/**
 * Asks before something that was entered is lost: its dialog closes, the page is left by a link or by Back, or the tab is
 * closed. Leaving after a save is no loss: who calls is not dirty while they save.
 */
import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../text.ts';
import { Confirm } from './confirm.tsx';

export interface Unsaved {
  /** Closes, or asks first. */
  readonly close: () => void;
  /** To be shown where the form is. */
  readonly question: ReactNode;
  /** It was sent, which may lead elsewhere at once; until `hold`. */
  readonly release: () => void;
  readonly hold: () => void;
}

export function useUnsaved(
  isDirty: boolean,
  onClose: () => void,
  /** `page`: what was entered outlives other addresses of the same page. */
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

/** Around the parts of a dialog that know whether something was entered; told when there is one more of them, or less. */
export const UnsavedParts = Report.Provider;

/** Of such a part: tells its dialog. */
export function useDirty(isDirty: boolean): void {
  const report = useContext(Report);
  // Before the next event: an Escape that follows the typing at once must find it known.
  useLayoutEffect(() => {
    if (!isDirty) return;
    report(1);
    return () => report(-1);
  }, [isDirty, report]);
}
