/** Captured emails and text messages, newest first. The list refreshes automatically. */
import { Button } from '@mantine/core';
import { IconDeviceMobile, IconInbox, IconLock, IconMail } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { inboxPageSize, inboxQuery } from '../../api/queries.ts';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { MessageSummary } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { SplitView } from '../../components/frame/split-view.tsx';
import lists from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { Pager } from '../../components/pager.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { t } from '../../text.ts';
import { MessageView } from './message-view.tsx';
import classes from './page.module.css';

const route = getRouteApi('/app/inbox');

export function InboxPage() {
  const maySee = useMay('secrets');
  if (maySee) return <Inbox />;
  return (
    <>
      <PageHead title={t('nav.inbox')} />
      <EmptyState
        icon={<IconLock size={22} stroke={1.75} />}
        title={t('inbox.locked-title')}
        text={t('inbox.locked-text')}
      />
    </>
  );
}

function Inbox() {
  const { search = '', page = 1, id } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const [isEmptying, setEmptying] = useState(false);
  const { data, error } = useQuery(inboxQuery(search, page));
  const [text, setText] = useDebounced(search, (next) => {
    void navigate({
      search: ({ id }) => ({
        ...(next === '' ? {} : { search: next }),
        ...(id === undefined ? {} : { id }),
      }),
      replace: true,
    });
  });
  const empty = useMutation({
    mutationFn: () => fetchConsole('DELETE /inbox'),
    onSuccess: () => {
      setEmptying(false);
      void navigate({ search: {} });
      void queryClient.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  const close = (): void => void navigate({ search: ({ id: _closed, ...rest }) => rest });
  return (
    <>
      <PageHead title={t('nav.inbox')}>
        <div className={lists.tools}>
          <SearchInput label={t('inbox.search')} value={text} width="toolbar" onChange={setText} />
          {mayWrite && (data?.total ?? 0) > 0 ? (
            <Button size="compact-sm" variant="default" onClick={() => setEmptying(true)}>
              {t('inbox.empty')}
            </Button>
          ) : null}
        </div>
      </PageHead>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : data.total === 0 && id === undefined ? (
        <NoMessages search={search} />
      ) : (
        <SplitView
          className={classes.split}
          isOpen={id !== undefined}
          isScrolling
          list={
            data.total === 0 ? (
              <NoMessages search={search} />
            ) : (
              <>
                <ul className={classes.items} aria-label={t('inbox.messages')}>
                  {data.messages.map((message) => (
                    <li key={message.id}>
                      <MessageLink message={message} isOpen={message.id === id} />
                    </li>
                  ))}
                </ul>
                <Pager
                  page={page}
                  perPage={inboxPageSize}
                  total={data.total}
                  onPage={(next) => void navigate({ search: (previous) => ({ ...previous, page: next }) })}
                />
              </>
            )
          }
        >
          {id === undefined ? (
            <EmptyState
              icon={<IconMail size={22} stroke={1.75} />}
              title={t('inbox.pick-title')}
              text={t('inbox.pick-text')}
            />
          ) : (
            <MessageView key={id} id={id} onClose={close} />
          )}
        </SplitView>
      )}
      {isEmptying ? (
        <Confirm
          title={t('inbox.empty')}
          action={t('inbox.empty')}
          isBusy={empty.isPending}
          error={empty.error}
          onConfirm={() => empty.mutate()}
          onClose={() => setEmptying(false)}
        >
          <p>{t('inbox.empty-text')}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function NoMessages({ search }: { search: string }) {
  return (
    <EmptyState
      icon={<IconInbox size={22} stroke={1.75} />}
      title={t(search === '' ? 'inbox.none-title' : 'inbox.no-match-title')}
      text={t(search === '' ? 'inbox.none-text' : 'inbox.no-match-text')}
    />
  );
}

function MessageLink({ message, isOpen }: { message: MessageSummary; isOpen: boolean }) {
  const { id, kind, to, subject, snippet, code, createdAt, read } = message;
  const Icon = kind === 'sms' ? IconDeviceMobile : IconMail;
  return (
    <Link
      to="/inbox"
      search={(previous) => ({ ...previous, id })}
      className={classes.message}
      aria-current={isOpen ? 'true' : undefined}
      data-open={isOpen || undefined}
      data-unread={!read || undefined}
    >
      <Icon size={16} stroke={1.75} aria-hidden />
      <span className={classes.text}>
        <span className={classes.line}>
          <span className={classes.to}>{to}</span>
          <span className={classes.time}>
            <Moment at={createdAt} relative />
          </span>
        </span>
        <span className={classes.line}>
          <span className={classes.subject}>{subject || snippet}</span>
          {code === null ? null : <code className={classes.code}>{code}</code>}
        </span>
        {read ? null : <span className="visually-hidden">{t('inbox.unread')}</span>}
      </span>
    </Link>
  );
}
