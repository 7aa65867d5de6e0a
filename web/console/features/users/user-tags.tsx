/** The states of a user that matter to an operator, as labels. */
import { Tag } from '../../components/tag.tsx';
import type { UserRow } from './api.ts';
import { t } from './text.ts';
import { isBanned } from './user-name.ts';

export function UserTags({ user }: { user: UserRow }) {
  const isConfirmed = Boolean(user.email_confirmed_at || user.phone_confirmed_at);
  return (
    <>
      {user.is_anonymous ? <Tag tone="info">{t('users.guest')}</Tag> : null}
      {user.is_sso_user ? <Tag>{t('users.sso-tag')}</Tag> : null}
      {user.has_factor ? <Tag tone="success">{t('users.factor-tag')}</Tag> : null}
      {!user.is_anonymous && !isConfirmed ? <Tag tone="warning">{t('users.unconfirmed')}</Tag> : null}
      {isBanned(user.banned_until) ? <Tag tone="danger">{t('users.banned')}</Tag> : null}
    </>
  );
}
