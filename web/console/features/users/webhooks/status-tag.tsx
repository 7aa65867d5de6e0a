/** The status of a delivery. A delivery that waits after a failed attempt is shown as retrying. */
import { Tag } from '../../../components/tag.tsx';
import type { DeliveryRow } from './api.ts';
import { t } from './text.ts';

const tones = { waiting: 'info', retrying: 'warning', delivered: 'success', failed: 'danger' } as const;

export function DeliveryStatus({ status, durationMs }: Pick<DeliveryRow, 'status' | 'durationMs'>) {
  const shown = status === 'waiting' && durationMs !== null ? 'retrying' : status;
  return <Tag tone={tones[shown]}>{t(`webhooks.status-${shown}`)}</Tag>;
}
