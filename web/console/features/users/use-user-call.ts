import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userQuery } from '../../api/queries.ts';

/**
 * Returns a function that changes a user and then refreshes the affected queries.
 * @example mutate(() => fetchConsole('DELETE /users/:id', { params: { id } }))
 */
export function useUserCall<Result = unknown>(userId: string, onDone?: (result: Result) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (call: () => Promise<Result>) => call(),
    onSuccess: async (result) => {
      onDone?.(result);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: userQuery(userId).queryKey }),
        queryClient.invalidateQueries({ queryKey: ['users'] }),
      ]);
    },
  });
}
