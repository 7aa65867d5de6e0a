/** Shows the outcome of a request: the response status, or the reason why the response is missing. */
import { Tag } from '../../../components/tag.tsx';
import type { AnsweredRequest } from '../api.ts';
import { StatusTag } from '../outcome.tsx';
import { t } from '../text.ts';

export function ResponseStatusTag({ status, timed_out }: Pick<AnsweredRequest, 'status' | 'timed_out'>) {
  if (status !== null) return <StatusTag status={status} />;
  return <Tag tone="danger">{t(timed_out ? 'requests.timed-out' : 'requests.failed')}</Tag>;
}
