import { Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMay } from '../../api/session.ts';

interface OnSwitchProps {
  /** For who does not see the row that it stands in. */
  readonly label: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => Promise<unknown>;
  /** Of the list that is asked for again afterwards. */
  readonly queryKey: readonly unknown[];
  readonly isOffered?: boolean;
}

/** Switches an entry of a list on and off; shows the new state at once, and a refusal beside it. */
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
