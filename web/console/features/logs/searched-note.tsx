/** States how far a search came, and continues it. */
import { Button } from '@mantine/core';
import classes from './page.module.css';

export function SearchedNote({
  text,
  action,
  isBusy,
  onMore,
}: {
  text: string;
  action: string;
  isBusy: boolean;
  onMore: (() => void) | undefined;
}) {
  return (
    <p role="status" className={classes.searched}>
      {text}
      {onMore === undefined ? null : (
        <Button size="compact-xs" variant="default" loading={isBusy} onClick={onMore}>
          {action}
        </Button>
      )}
    </p>
  );
}
