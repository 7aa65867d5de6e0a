/** Runs or explains the editor's text. Starting either one removes the result of the other. */
import { useMutation } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';
import { explainSql, type RunRequest } from './api.ts';
import { type Selection, scriptOf } from './selection.ts';
import { useRun } from './use-run.ts';

export function useQueryRun(
  text: string,
  selection: Selection,
  request: Omit<RunRequest, 'text' | 'confirmed'>,
) {
  const mayWrite = useMay('write');
  const { state, start, cancel, clear, dismiss } = useRun(mayWrite);
  const plan = useMutation({
    mutationFn: (analyze: boolean) => {
      const { as, timeoutMs } = request;
      return explainSql({ text: scriptOf(text, selection).text, as, analyze, timeoutMs }, mayWrite);
    },
  });
  return {
    state,
    plan,
    run: (): void => {
      if (text.trim() === '' || state.isRunning) return;
      plan.reset();
      void start(scriptOf(text, selection), request);
    },
    explain: (analyze: boolean): void => {
      clear();
      plan.mutate(analyze);
    },
    cancel,
    dismiss,
  };
}
