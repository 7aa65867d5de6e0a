/** Shows a request with its contents or its response. */
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../../lib/api.ts';
import { fetchConsole, useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { BackToList } from '../../../components/missing-note.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { type OpenedRequest, pendingQuery, requestQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { durationText, pairsText } from '../parts.tsx';
import { t } from '../text.ts';
import { ResponseStatusTag } from './response-status-tag.tsx';

export function RequestPanel({
  kind,
  id,
  onClose,
}: {
  kind: 'waiting' | 'answered';
  id: string;
  onClose: () => void;
}) {
  const { data, error } = useQuery(requestQuery(kind, id));
  return (
    <SidePanel
      title={t(kind === 'waiting' ? 'requests.title-waiting' : 'requests.title-answered', { id })}
      onClose={onClose}
      wide
    >
      <div className={classes.details}>
        {kind === 'waiting' && data !== undefined ? <Cancel id={id} onCanceled={onClose} /> : null}
        {error === null ? null : (
          <ProblemBox error={error}>
            {error instanceof ApiError && error.code === 'not_found' ? <BackToList onBack={onClose} /> : null}
          </ProblemBox>
        )}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={6} />
          ) : null
        ) : (
          <Details request={data} />
        )}
      </div>
    </SidePanel>
  );
}

function Details({ request }: { request: OpenedRequest }) {
  const isWaiting = 'body' in request;
  const text = isWaiting ? request.body : request.content;
  const size = isWaiting ? request.body_bytes : request.content_bytes;
  const what = t(isWaiting ? 'requests.body' : 'requests.content');
  return (
    <>
      <Facts className={classes.facts}>
        {isWaiting ? (
          <>
            <Fact label={t('requests.what')}>
              <code>
                {request.method} {request.url}
              </code>
            </Fact>
            <Fact label={t('requests.timeout')}>{durationText(request.timeout_ms)}</Fact>
          </>
        ) : (
          <>
            <Fact label={t('requests.status')}>
              <ResponseStatusTag {...request} />
            </Fact>
            <Fact label={t('requests.when')}>
              <Moment at={request.answered_at} />
            </Fact>
            {request.error === null ? null : <Fact label={t('requests.error')}>{request.error}</Fact>}
            {request.content_type === null ? null : (
              <Fact label={t('requests.type')}>
                <code>{request.content_type}</code>
              </Fact>
            )}
          </>
        )}
        {size === null ? null : (
          <Fact label={t('requests.size')}>{t('requests.bytes', { bytes: size })}</Fact>
        )}
      </Facts>
      {request.headers.length === 0 ? null : (
        <section className={classes.section}>
          <h3 className={classes.title}>{t('requests.headers')}</h3>
          <CodeBlock text={pairsText(request.headers)} what={t('requests.headers')} />
        </section>
      )}
      {text === null || text === '' ? null : (
        <section className={classes.section}>
          <h3 className={classes.title}>{what}</h3>
          <CodeBlock text={text} what={what} />
          {size !== null && new TextEncoder().encode(text).length < size ? (
            <p className={classes.note}>{t('requests.cut')}</p>
          ) : null}
        </section>
      )}
    </>
  );
}

function Cancel({ id, onCanceled }: { id: string; onCanceled: () => void }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('DELETE /jobs/requests/waiting/:id', { params: { id } }),
    onSuccess: async () => {
      onCanceled();
      await queryClient.invalidateQueries({ queryKey: pendingQuery.queryKey });
    },
  });
  if (!mayWrite) return null;
  return (
    <>
      <div className={classes.actions}>
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          leftSection={<IconTrash size={15} aria-hidden />}
          loading={isPending}
          onClick={() => mutate()}
        >
          {t('requests.cancel')}
        </Button>
      </div>
      {error === null ? null : <ProblemBox error={error} />}
    </>
  );
}
