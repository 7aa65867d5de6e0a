/** Shows the states of a user that are relevant to operators, as labels. */
import { formatDateTime } from '../../../lib/i18n.ts';
import { Tag } from '../../components/tag.tsx';
import type { UserRow } from './api.ts';
import { t } from './text.ts';
import { isBanned, isUntilLifted } from './user-name.ts';

export function UserTags({ user }: { user: UserRow }) {
  const isConfirmed = Boolean(user.email_confirmed_at || user.phone_confirmed_at);
  return (
    <>
      {user.is_anonymous ? <Tag tone="info">{t('users.guest')}</Tag> : null}
      {user.is_sso_user ? <Tag>{t('users.sso-tag')}</Tag> : null}
      {user.has_factor ? <Tag tone="success">{t('users.factor-tag')}</Tag> : null}
      {!user.is_anonymous && !isConfirmed ? (
        <Tag tone="warning">{t(user.invited_at === null ? 'users.unconfirmed' : 'users.invited')}</Tag>
      ) : null}
      {user.banned_until && isBanned(user.banned_until) ? (
        <Tag tone="danger">
          {isUntilLifted(user.banned_until)
            ? t('users.banned')
            : t('users.banned-until-short', { date: formatDateTime(user.banned_until) })}
        </Tag>
      ) : null}
    </>
  );
}
