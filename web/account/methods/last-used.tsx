import classes from '../parts.module.css';
import { t } from '../text.ts';

/** Marks the sign-in method that was last used in this browser. */
export function LastUsed() {
  return (
    <span data-last="" className={classes.last}>
      {t('sign-in.last-used')}
    </span>
  );
}
