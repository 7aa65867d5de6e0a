/** Shown while a part of the page can't be loaded because the server isn't responding. */
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useIsPartDelayed } from '../components/lazy-part.ts';
import { t } from '../text.ts';
import classes from './connection-banner.module.css';

export function ConnectionBanner() {
  const isDelayed = useIsPartDelayed();
  if (!isDelayed) return null;
  return (
    <p className={classes.banner} role="alert">
      <IconPlugConnectedX size={16} aria-hidden />
      {t('problem.waiting')}
    </p>
  );
}
