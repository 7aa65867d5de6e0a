/** Lists pg_net's waiting requests and the responses that are still stored. */
import { Checkbox } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../../api/session.ts';
import { Card, Cards } from '../../../components/frame/card.tsx';
import list from '../../../components/list.module.css';
import { MissingNote } from '../../../components/missing-note.tsx';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { type AnsweredRequest, completedQuery, type PendingRequest, pendingQuery } from '../api.ts';
import { Enabled, LoadOlder } from '../parts.tsx';
import type { RequestSearch } from '../search.ts';
import { t } from '../text.ts';
import { RequestPanel } from './panel.tsx';
import { ResponseStatusTag } from './response-status-tag.tsx';

const route = getRouteApi('/app/jobs/requests');
/** The number at which the server stops counting requests. */
const maxCounted = 10_000;

export function RequestsPage() {
  return (
    <Enabled
      extension="pg_net"
      stateOf={({ net }) => net}
      icon={<IconArrowsExchange size={22} stroke={1.75} />}
      title={t('requests.off-title')}
      text={t('requests.off-text')}
    >
      <Requests />
    </Enabled>
  );
}

function Requests() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { waiting, answered } = search;
  const close = (): void =>
    void navigate({ search: ({ failed }) => (failed === undefined ? {} : { failed }) });
  const invalid = [waiting, answered].find((id) => id !== undefined && !isRequestId(id));
  return (
    <Cards>
      {invalid === undefined ? null : (
        <MissingNote title={t('requests.not-found', { id: invalid })} onBack={close} />
      )}
      <Pending />
      <Completed failed={search.failed === true} />
      {isRequestId(waiting) ? <RequestPanel kind="waiting" id={waiting} onClose={close} /> : null}
      {isRequestId(answered) ? <RequestPanel kind="answered" id={answered} onClose={close} /> : null}
    </Cards>
  );
}

/** Whether the text can be an ID, which is a `bigint`. */
const isRequestId = (id: string | undefined): id is string => id !== undefined && /^\d{1,18}$/.test(id);

/** A request's ID, which is a link if the operator is allowed to read the request's contents. */
function RequestId({ id, search, children }: { id: string; search: RequestSearch; children?: ReactNode }) {
  const maySee = useMay('secrets');
  if (!maySee) return <code>{id}</code>;
  return (
    <Link
      to="/jobs/requests"
      search={({ failed }: RequestSearch) => ({ ...search, ...(failed === undefined ? {} : { failed }) })}
      className={list.main}
      aria-label={t('jobs.open', { name: id })}
    >
      {children ?? id}
    </Link>
  );
}

function Pending() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(pendingQuery);
  const count = data?.pages[0]?.count ?? 0;
  const requests = data?.pages.flatMap((page) => page.requests) ?? [];
  return (
    <Card
      title={t('requests.waiting')}
      text={
        data === undefined
          ? undefined
          : count >= maxCounted
            ? t('requests.waiting-many', { count })
            : t('requests.waiting-text', { count })
      }
      flush
    >
      {requests.length === 0 && error === null ? null : (
        <>
          {error === null ? null : <ProblemBox error={error} />}
          {requests.length === 0 ? null : (
            <table className={list.table}>
              <caption className="visually-hidden">{t('requests.waiting')}</caption>
              <thead>
                <tr>
                  <th scope="col">{t('requests.id')}</th>
                  <th scope="col">{t('requests.what')}</th>
                  <th scope="col" className={list.wide}>
                    {t('requests.from')}
                  </th>
                  <th scope="col" className={list.wide}>
                    {t('requests.size')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {requests.map((request) => (
                  <PendingRow key={request.id} request={request} />
                ))}
              </tbody>
            </table>
          )}
          <LoadOlder hasMore={hasNextPage} isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
        </>
      )}
    </Card>
  );
}

function PendingRow({ request: { id, method, url, webhook, body_bytes } }: { request: PendingRequest }) {
  return (
    <tr>
      <td className={list.short}>
        <RequestId id={id} search={{ waiting: id }} />
      </td>
      <td title={url}>
        <code>
          {method} {url}
        </code>
      </td>
      <td className={list.wide}>{webhook ?? t('requests.from-sql')}</td>
      <td className={`${list.wide} ${list.dim}`}>{t('requests.bytes', { bytes: body_bytes ?? 0 })}</td>
    </tr>
  );
}

function Completed({ failed }: { failed: boolean }) {
  const navigate = route.useNavigate();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    completedQuery(failed),
  );
  const requests = data?.pages.flatMap((page) => page.requests);
  const kept = data?.pages[0]?.kept ?? t('requests.kept-default');
  return (
    <Card
      title={t('requests.answered')}
      text={t('requests.answered-text', { kept })}
      flush
      tools={
        <Checkbox
          size="xs"
          label={t('requests.failed-only')}
          checked={failed}
          onChange={(event) =>
            void navigate({ search: event.currentTarget.checked ? { failed: true } : {}, replace: true })
          }
        />
      }
    >
      {error === null ? null : <ProblemBox error={error} />}
      {requests === undefined ? null : requests.length === 0 ? (
        <p className={list.none}>{t(failed ? 'requests.answered-none-failed' : 'requests.answered-none')}</p>
      ) : (
        <table className={list.table}>
          <caption className="visually-hidden">{t('requests.answered')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('requests.id')}</th>
              <th scope="col">{t('requests.status')}</th>
              <th scope="col">{t('requests.from')}</th>
              <th scope="col" className={list.wide}>
                {t('requests.outcome')}
              </th>
              <th scope="col">{t('requests.when')}</th>
            </tr>
          </thead>
          <tbody>
            {requests.map((request) => (
              <CompletedRow key={`${request.id} ${request.answered_at}`} request={request} />
            ))}
          </tbody>
        </table>
      )}
      <LoadOlder hasMore={hasNextPage} isBusy={isFetchingNextPage} onMore={() => void fetchNextPage()} />
    </Card>
  );
}

function CompletedRow({ request }: { request: AnsweredRequest }) {
  const { id, webhook, content_type, error, answered_at } = request;
  return (
    <tr>
      <td className={list.short}>
        <RequestId id={id} search={{ answered: id }} />
      </td>
      <td>
        <ResponseStatusTag {...request} />
      </td>
      <td>{webhook ?? t('requests.from-sql')}</td>
      <td className={`${list.wide} ${list.dim}`} title={error ?? content_type ?? ''}>
        {error ?? content_type}
      </td>
      <td className={list.dim}>
        <Moment at={answered_at} relative />
      </td>
    </tr>
  );
}
