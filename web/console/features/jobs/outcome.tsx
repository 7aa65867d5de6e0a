/** The result of a run or a delivery as a tag. */
import { Tag, type TagTone } from '../../components/tag.tsx';
import type { CronRun, Delivery } from './api.ts';
import { t } from './text.ts';

export function RunTag({ status }: Pick<CronRun, 'status'>) {
  if (status === 'succeeded') return <Tag tone="success">{t('cron.succeeded')}</Tag>;
  if (status === 'failed') return <Tag tone="danger">{t('cron.failed')}</Tag>;
  return <Tag tone="info">{t('cron.running')}</Tag>;
}

const statusTone = (status: number): TagTone =>
  status >= 500 ? 'danger' : status >= 400 ? 'warning' : status >= 300 ? 'info' : 'success';

export function StatusTag({ status }: { status: number }) {
  return <Tag tone={statusTone(status)}>{status}</Tag>;
}

export function DeliveryTag({ outcome, status }: Pick<Delivery, 'outcome' | 'status'>) {
  switch (outcome) {
    case 'answered':
      return status === null ? null : <StatusTag status={status} />;
    case 'failed':
      return <Tag tone="danger">{t('hooks.outcome-failed')}</Tag>;
    case 'timed out':
      return <Tag tone="danger">{t('hooks.outcome-timed-out')}</Tag>;
    case 'waiting':
      return <Tag tone="info">{t('hooks.outcome-waiting')}</Tag>;
    case 'forgotten':
      return <Tag title={t('hooks.forgotten-why')}>{t('hooks.outcome-forgotten')}</Tag>;
  }
}
