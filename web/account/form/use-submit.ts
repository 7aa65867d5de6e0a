import { type FormEvent, useRef, useState } from 'react';
import type { Problem } from '../../ui/error-summary.tsx';
import { inWords } from '../texts.ts';
import type { FieldOf } from './problems.ts';

/** Handles a submission. Reads the form's fields, and returns the problems if any of the fields are invalid. */
export type Handler = (fields: (name: string) => string) => Promise<readonly Problem[] | undefined>;

const none: readonly Problem[] = [];

/**
 * Handles a form's submissions, of which only one can be in progress. Errors are shown at the top of the form or next
 * to a field. `initial` contains the problems that are shown before the first submission.
 */
export function useSubmit(handler: Handler, fieldOf: FieldOf = {}, initial: readonly Problem[] = none) {
  const [problems, setProblems] = useState(initial);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);

  async function run(form: HTMLFormElement | undefined, work: Handler = handler): Promise<void> {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblems(none);
    const data = form === undefined ? new FormData() : new FormData(form);
    try {
      setProblems((await work((name) => String(data.get(name) ?? ''))) ?? none);
    } catch (error) {
      setProblems([await inWords(({ problemOf }) => problemOf(error, fieldOf))]);
    } finally {
      running.current = false;
      setBusy(false);
    }
  }

  return {
    problems,
    busy,
    run,
    onSubmit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault();
      void run(event.currentTarget);
    },
    errorAt: (fieldId: string) => problems.find((problem) => problem.fieldId === fieldId)?.text,
  };
}
