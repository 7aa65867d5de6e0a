import { t } from './text.ts';

export const secondsText = (ms: number): string =>
  ms < 1000
    ? t('backups.milliseconds', { milliseconds: Math.round(ms) })
    : t('backups.seconds', { seconds: (ms / 1000).toFixed(1) });
