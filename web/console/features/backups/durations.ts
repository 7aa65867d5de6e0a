import { t } from './text.ts';

export const secondsText = (ms: number): string => t('backups.seconds', { seconds: (ms / 1000).toFixed(1) });
