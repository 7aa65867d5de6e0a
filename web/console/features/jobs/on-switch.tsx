import { Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';

interface OnSwitchProps {
  /** The accessible name, which includes the row's name. */
  readonly label: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => Promise<unknown>;
  /** The key of the list to refresh. */
  readonly queryKey: readonly unknown[];
  readonly isOffered?: boolean;
}

/**
 * A switch that enables or disables a list entry. The switch shows the new state immediately, and an error if the
 * request fails.
 */
export function OnSwitch({ label, isOn, onSwitch, queryKey, isOffered = true }: OnSwitchProps) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: onSwitch,
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <Checkbox
      size="sm"
      aria-label={label}
      checked={isPending ? variables : isOn}
      disabled={!mayWrite || !isOffered}
      error={error === null ? undefined : error.message}
      onChange={(event) => mutate(event.currentTarget.checked)}
    />
  );
}
