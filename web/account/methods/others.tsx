import type { ReactNode } from 'react';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { t } from '../text.ts';

/** Contains the remaining ways to sign in. The list is collapsed unless it is short. */
export function OtherWays({ children }: { children: ReactNode }) {
  const { isCollapsed } = usePageConfig();
  return (
    <div data-part="others">
      <details data-fold="" className={classes.others} {...(isCollapsed ? {} : { open: true })}>
        <summary className={classes.link}>{t('sign-in.others')}</summary>
        <div className={classes.stack}>{children}</div>
      </details>
    </div>
  );
}
