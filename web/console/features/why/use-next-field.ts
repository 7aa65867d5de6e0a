import { useEffect, useRef } from 'react';
import { focusNearest } from '../../components/keyboard/nearest-focus.ts';

/** The steps of the page, which are the parts of the question in order and the result. */
export type Step = 'who' | 'table' | 'row' | 'result';

/**
 * Moves the focus to the field of the current step, which has the attribute `data-next`. The focus moves when the page
 * opens and when the operator completes a step.
 */
export function useNextField(step: Step) {
  const root = useRef<HTMLDivElement>(null);
  /** The step from which the focus will move. Undefined if the focus won't move. */
  const left = useRef<Step | 'start' | undefined>('start');
  const move = (): void => {
    if (left.current === undefined || left.current === step) return;
    const isComplete = left.current === 'start' && step === 'result';
    const next = root.current?.querySelector('[data-next]') ?? null;
    // The row's fields appear when the table's columns have been read.
    if (next === null && !isComplete) return;
    left.current = undefined;
    if (next !== null && !isComplete) focusNearest([next]);
  };
  useEffect(move);
  return {
    root,
    /** Moves the focus away from a step that the operator has completed. */
    moveOn: (completed: Step): void => {
      left.current = completed;
      move();
    },
  };
}
