import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

export type Tone = 'info' | 'success' | 'warning' | 'danger';

const icons = {
  info: IconInfoCircle,
  success: IconCircleCheck,
  warning: IconAlertTriangle,
  danger: IconAlertTriangle,
} as const;

export interface NoticeProps {
  readonly tone: Tone;
  readonly title?: string;
  readonly children?: ReactNode;
}

/** A tinted box. If the box appears after the page has loaded, put it inside a live region (see `ErrorSummary`). */
export function Notice({ tone, title, children }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div className={classes.notice} data-tone={tone}>
      <Icon className={classes.icon} size={20} stroke={1.75} aria-hidden />
      <div className={classes.body}>
        {title === undefined ? null : <p className={classes.title}>{title}</p>}
        {children}
      </div>
    </div>
  );
}
