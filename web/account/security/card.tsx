import { Button } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { t } from '../text.ts';
import classes from './security.module.css';

export interface CardProps {
  readonly title: string;
  /** The ID of the section, to which other pages can link. */
  readonly anchor?: string;
  readonly badge?: ReactNode;
  /** Describes the card's purpose, or summarizes its content. */
  readonly intro?: ReactNode;
  /**
   * The single action of the card, which is shown beside the heading. If there are several actions, place them in the
   * card's content.
   */
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** A section of the security page. */
export function Card({ title, anchor, badge, intro, action, children }: CardProps) {
  const id = useId();
  return (
    <section
      id={anchor}
      className={classes.card}
      aria-labelledby={id}
      {...(anchor === undefined ? {} : { tabIndex: -1 })}
    >
      <div className={classes.head}>
        <div className={classes.about}>
          <div className={classes.title}>
            <h2 id={id}>{title}</h2>
            {badge}
          </div>
          {intro === undefined ? null : <p className={classes.intro}>{intro}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}

export function Badge({ tone, children }: { tone: 'good' | 'plain'; children: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}

/** Shown if a section's data failed to load. */
export function LoadFailed({ onAgain }: { onAgain: () => void }) {
  return (
    <div role="alert">
      <Notice tone="danger">
        <p>{t('security.load-failed')}</p>
        <div className={classes.actions}>
          <Button variant="default" size="xs" onClick={onAgain}>
            {t('security.again')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}
