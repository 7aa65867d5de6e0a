/** The outcome of a request: the response status, or why there is no response. */
import { Tag } from '../../../components/tag.tsx';
import type { AnsweredRequest } from '../api.ts';
import { StatusTag } from '../outcome.tsx';
import { t } from '../text.ts';

export function AnswerTag({ status, timed_out }: Pick<AnsweredRequest, 'status' | 'timed_out'>) {
  if (status !== null) return <StatusTag status={status} />;
  return <Tag tone="danger">{t(timed_out ? 'requests.timed-out' : 'requests.failed')}</Tag>;
}
