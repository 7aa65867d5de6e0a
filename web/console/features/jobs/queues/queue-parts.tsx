/** Shows a queue's statistics and tags, in the list and in the panel. */
import { formatRelative } from '../../../../lib/i18n.ts';
import { Tag } from '../../../components/tag.tsx';
import type { Queue } from '../api.ts';
import { t } from '../text.ts';

export const countText = (count: number | null): string =>
  count === null ? t('queues.uncounted') : count.toLocaleString('en');
export const ageText = (seconds: number | null): string =>
  seconds === null ? '' : formatRelative(Date.now() - seconds * 1000);

export function QueueTags({ queue: { unlogged, rls } }: { queue: Queue }) {
  return (
    <>
      {unlogged ? <Tag title={t('queues.unlogged-why')}>{t('queues.unlogged-tag')}</Tag> : null}
      {rls === false ? (
        <Tag tone="warning" title={t('queues.rls-why')}>
          {t('queues.rls-off')}
        </Tag>
      ) : null}
    </>
  );
}
