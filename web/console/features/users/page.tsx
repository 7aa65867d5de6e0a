/** Lists the app's end users, and lets operators find, view, create and delete them. */
import { Button } from '@mantine/core';
import { IconMailForward, IconPlus, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usersQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import classes from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { Tag } from '../../components/tag.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { CreateUser } from './create-user.tsx';
import { InviteUser } from './invite-user.tsx';
import { t } from './text.ts';
import { nameOf } from './user-name.ts';
import { UserPanel } from './user-panel.tsx';

const route = getRouteApi('/app/users');

export function UsersPage() {
  const { search = '', page = 1, id } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [adding, setAdding] = useState<'create' | 'invite'>();
  const { data, error } = useQuery(usersQuery(search, page));
  const [text, setText] = useDebounced(search, (next) => {
    void navigate({ search: next === '' ? {} : { search: next }, replace: true });
  });
  const stopAdding = (): void => setAdding(undefined);
  const show = (user: User): void => {
    stopAdding();
    void navigate({ search: { id: user.id } });
  };
  return (
    <>
      <PageHead title={t('nav.users')}>
        <div className={classes.tools}>
          <SearchInput label={t('users.search-any')} value={text} width="toolbar" onChange={setText} />
          {mayWrite ? (
            <>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<IconMailForward size={15} aria-hidden />}
                onClick={() => setAdding('invite')}
              >
                {t('users.invite')}
              </Button>
              <Button
                size="compact-sm"
                leftSection={<IconPlus size={15} aria-hidden />}
                onClick={() => setAdding('create')}
              >
                {t('users.create')}
              </Button>
            </>
          ) : null}
        </div>
      </PageHead>
      <div className={classes.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : data.users.length === 0 ? (
          <EmptyState
            icon={<IconUsers size={22} stroke={1.75} />}
            title={t(search === '' ? 'users.none-title' : 'users.no-match-title')}
            text={t(search === '' ? 'users.none-text' : 'users.no-match-any')}
          >
            {search === '' && mayWrite ? (
              <Button size="sm" onClick={() => setAdding('create')}>
                {t('users.create')}
              </Button>
            ) : null}
          </EmptyState>
        ) : (
          <UserTable users={data.users} openId={id} />
        )}
      </div>
      {data === undefined ? null : (
        <Pager
          page={page}
          perPage={data.perPage}
          total={data.total}
          onPage={(next) => void navigate({ search: (previous) => ({ ...previous, page: next }) })}
        />
      )}
      {id === undefined ? null : (
        <UserPanel id={id} onClose={() => void navigate({ search: ({ id: _closed, ...rest }) => rest })} />
      )}
      {adding === 'create' ? <CreateUser onClose={stopAdding} onCreated={show} /> : null}
      {adding === 'invite' ? <InviteUser onClose={stopAdding} onInvited={show} /> : null}
    </>
  );
}

function UserTable({ users, openId }: { users: readonly User[]; openId: string | undefined }) {
  return (
    <table className={classes.table}>
      <caption className="visually-hidden">{t('nav.users')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('users.user')}</th>
          <th scope="col" className={classes.wide}>
            {t('users.ways')}
          </th>
          <th scope="col">{t('users.last-seen')}</th>
          <th scope="col" className={classes.wide}>
            {t('users.created')}
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr key={user.id} data-open={user.id === openId || undefined}>
            <td>
              <Link
                to="/users"
                search={(previous) => ({ ...previous, id: user.id })}
                className={classes.main}
              >
                {nameOf(user)}
              </Link>{' '}
              <UserTags user={user} />
            </td>
            <td className={`${classes.wide} ${classes.dim}`}>{signInMethodsOf(user)}</td>
            <td className={classes.dim}>
              {user.last_sign_in_at ? <Moment at={user.last_sign_in_at} relative /> : t('users.never')}
            </td>
            <td className={`${classes.wide} ${classes.dim}`}>
              <Moment at={user.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function signInMethodsOf({ app_metadata, is_anonymous }: User): string {
  const providers = app_metadata?.providers;
  if (Array.isArray(providers) && providers.length > 0) return providers.join(', ');
  return is_anonymous ? t('users.guest') : '';
}

export function UserTags({ user }: { user: User }) {
  const isConfirmed = Boolean(user.email_confirmed_at || user.phone_confirmed_at);
  const isBanned = Boolean(user.banned_until && Date.parse(user.banned_until) > Date.now());
  return (
    <>
      {user.is_anonymous ? <Tag tone="info">{t('users.guest')}</Tag> : null}
      {!user.is_anonymous && !isConfirmed ? <Tag tone="warning">{t('users.unconfirmed')}</Tag> : null}
      {isBanned ? <Tag tone="danger">{t('users.banned')}</Tag> : null}
    </>
  );
}
