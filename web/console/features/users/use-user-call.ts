/** A change of one user, and what has to be read again after it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userQuery } from '../../api/queries.ts';
import { callConsole } from '../../api/session.ts';

export interface UserCall {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  /** Behind the user's id. */
  readonly path?: string;
  readonly body?: unknown;
}

export function useUserCall<Answer = unknown>(userId: string, onDone?: (answer: Answer) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ method, path = '', body }: UserCall) =>
      callConsole<Answer>(`/users/${userId}${path}`, { method, ...(body === undefined ? {} : { body }) }),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: userQuery(userId).queryKey }),
        queryClient.invalidateQueries({ queryKey: ['users'] }),
      ]);
    },
  });
}
