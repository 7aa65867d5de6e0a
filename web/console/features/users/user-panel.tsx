/** Shows a user's details, sign-in methods, sessions, metadata and actions. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../lib/api.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { userQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { BackToList } from '../../components/missing-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { Beside, type BesideProps } from './beside.tsx';
import { Events } from './events.tsx';
import { Metadata } from './metadata.tsx';
import { Sessions } from './sessions.tsx';
import { SignInMethods } from './sign-in-methods.tsx';
import { t } from './text.ts';
import { UserActions } from './user-actions.tsx';
import { isBanned, isUntilLifted, nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

export function UserPanel({
  id,
  previous,
  next,
  onOpen,
  onClose,
}: { id: string } & Omit<BesideProps, 'title' | 'children'>) {
  const { data, error } = useQuery(userQuery(id));
  return (
    <Beside
      title={data === undefined ? t('users.user') : nameOf(data)}
      previous={previous}
      next={next}
      onOpen={onOpen}
      onClose={onClose}
    >
      {error === null ? null : (
        <ProblemBox error={error}>
          {error instanceof ApiError && error.code === 'not_found' ? <BackToList onBack={onClose} /> : null}
        </ProblemBox>
      )}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <Details user={data} onClose={onClose} />
      )}
    </Beside>
  );
}

function Details({ user, onClose }: { user: User; onClose: () => void }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const confirmedAt = user.email_confirmed_at ?? user.phone_confirmed_at ?? undefined;

  return (
    <div className={classes.details}>
      {mayWrite ? (
        <UserActions
          user={user}
          onDeleted={() => {
            onClose();
            queryClient.removeQueries({ queryKey: userQuery(user.id).queryKey });
          }}
        />
      ) : null}
      <Facts>
        <Fact label={t('users.id')}>
          <Copyable value={user.id} what={t('users.id')} />
        </Fact>
        <Fact label={t('users.email')}>
          {user.email ? <Copyable value={user.email} what={t('users.email')} /> : t('users.none')}
        </Fact>
        <Fact label={t('users.phone')}>{user.phone ? `+${user.phone}` : t('users.none')}</Fact>
        <Fact label={t('users.confirmed')}>
          {confirmedAt === undefined ? t('users.not-yet') : <Moment at={confirmedAt} />}
        </Fact>
        {confirmedAt === undefined && user.invited_at ? (
          <Fact label={t('users.invited-at')}>
            <Moment at={user.invited_at} />
          </Fact>
        ) : null}
        {user.banned_until && isBanned(user.banned_until) ? (
          <Fact label={t('users.banned-until')}>
            {isUntilLifted(user.banned_until) ? t('users.until-lifted') : <Moment at={user.banned_until} />}
          </Fact>
        ) : null}
        <Fact label={t('users.created')}>
          <Moment at={user.created_at} />
        </Fact>
        <Fact label={t('users.last-seen')}>
          {user.last_sign_in_at ? <Moment at={user.last_sign_in_at} /> : t('users.never')}
        </Fact>
      </Facts>
      <SignInMethods user={user} />
      <Sessions user={user} />
      <Events user={user} />
      <Metadata user={user} field="app_metadata" />
      <Metadata user={user} field="user_metadata" />
    </div>
  );
}
