import { Button } from '@mantine/core';
import classes from './load-more.module.css';

/** The button below a list, which loads the list's next page. */
export function LoadMore({
  label,
  hasMore,
  isBusy,
  isCompact = false,
  onMore,
}: {
  label: string;
  hasMore: boolean;
  isBusy: boolean;
  isCompact?: boolean;
  onMore: () => void;
}) {
  if (!hasMore) return null;
  return (
    <div className={classes.more} data-compact={isCompact || undefined}>
      <Button variant="default" size="compact-sm" loading={isBusy} onClick={onMore}>
        {label}
      </Button>
    </div>
  );
}
