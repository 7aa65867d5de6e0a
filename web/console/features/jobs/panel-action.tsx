import { Button } from '@mantine/core';
import type { IconTrash } from '@tabler/icons-react';

interface PanelActionProps {
  icon: typeof IconTrash;
  label: string;
  tone?: 'primary' | 'default' | 'danger';
  isBusy?: boolean;
  isDisabled?: boolean;
  onClick: () => void;
}

/** A button above the details in a side panel. */
export function PanelAction({ icon: Icon, label, tone = 'default', ...props }: PanelActionProps) {
  return (
    <Button
      size="compact-sm"
      {...(tone === 'default' ? { variant: 'default' } : {})}
      {...(tone === 'danger' ? { variant: 'light', color: 'red' } : {})}
      leftSection={<Icon size={15} aria-hidden />}
      loading={props.isBusy ?? false}
      disabled={props.isDisabled ?? false}
      onClick={props.onClick}
    >
      {label}
    </Button>
  );
}
