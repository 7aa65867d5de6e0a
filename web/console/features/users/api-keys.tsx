/** Lists a user's API keys, which can be revoked. Hidden if the project doesn't offer API keys. */
import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Moment } from '../../components/moment.tsx';
import { messageOf } from '../../components/problem-box.tsx';
import { apiKeysQuery, type UserApiKey } from './api.ts';
import { t } from './text.ts';
import { useUserCall } from './use-user-call.ts';
import { nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

export function ApiKeys({ user }: { user: User }) {
  const mayWrite = useMay('write');
  const { data, error } = useQuery(apiKeysQuery(user.id));
  const [revoked, setRevoked] = useState<UserApiKey>();
  const revoke = useUserCall(user.id, () => setRevoked(undefined));
  if (error === null && (data === undefined || data === null)) return null;
  return (
    <section>
      <h3 className={classes.title}>{t('users.api-keys')}</h3>
      {error === null ? null : <p className={classes.dim}>{messageOf(error)}</p>}
      {data?.length === 0 ? <p className={classes.dim}>{t('users.no-api-keys')}</p> : null}
      {!data || data.length === 0 ? null : (
        <ul className={classes.list}>
          {data.map((key) => (
            <li key={key.id}>
              <span className={classes.two}>
                <span className={classes.clip}>{key.name}</span>
                <span className={`${classes.dim} ${classes.clip}`}>
                  {[`${key.beginning}…`, ...key.scopes].join(' · ')}
                </span>
                <span className={classes.dim}>
                  {key.last_used_at === null ? (
                    t('users.api-key-unused')
                  ) : (
                    <>
                      {t('users.api-key-used')} <Moment at={key.last_used_at} relative />
                    </>
                  )}
                  {' · '}
                  {isExpired(key) ? t('users.api-key-expired') : t('users.api-key-expires')}{' '}
                  <Moment at={key.expires_at} relative />
                </span>
              </span>
              {mayWrite ? (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('users.api-key-revoke', { key: key.name })}
                  title={t('users.api-key-revoke', { key: key.name })}
                  onClick={() => setRevoked(key)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {revoked === undefined ? null : (
        <Confirm
          title={t('users.api-key-revoke', { key: revoked.name })}
          action={t('users.api-key-revoke-action')}
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() =>
            revoke.mutate(() =>
              fetchConsole('DELETE /users/:id/api-keys/:key', { params: { id: user.id, key: revoked.id } }),
            )
          }
          onClose={() => {
            setRevoked(undefined);
            revoke.reset();
          }}
        >
          <p>{t('users.api-key-revoke-text', { name: nameOf(user) })}</p>
        </Confirm>
      )}
    </section>
  );
}

const isExpired = ({ expires_at }: UserApiKey): boolean => Date.parse(expires_at) <= Date.now();
