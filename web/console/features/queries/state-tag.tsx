/** Shows whether a session is running, waiting, or idle in an open transaction. */
import { Tag } from '../../components/tag.tsx';
import type { ActivityRow } from './api.ts';
import { t } from './text.ts';

export function StateTag({ session: { state, waitsFor, blockedBy } }: { session: ActivityRow }) {
  if (blockedBy.length > 0) return <Tag tone="warning">{t('activity.state-waiting')}</Tag>;
  if (state === 'active')
    return waitsFor?.startsWith('Lock') ? (
      <Tag tone="warning">{t('activity.state-waiting')}</Tag>
    ) : (
      <Tag tone="info">{t('activity.state-active')}</Tag>
    );
  return state.includes('aborted') ? (
    <Tag tone="danger">{t('activity.state-failed')}</Tag>
  ) : (
    <Tag>{t('activity.state-open')}</Tag>
  );
}
