/** The attributes and connections of a role, which the list and the panel of a role show. */
import { Tag } from '../../../components/tag.tsx';
import type { RoleRow } from './api.ts';
import { t } from './text.ts';

export const connections = ({ connections: count, connectionLimit }: RoleRow): string =>
  connectionLimit < 0 ? String(count) : t('roles.of-limit', { count, limit: connectionLimit });

export function RoleTags({ role }: { role: RoleRow }) {
  return (
    <>
      {role.system ? <Tag title={t('roles.system-why')}>{t('roles.system')}</Tag> : null}
      {role.superuser ? <Tag tone="danger">{t('roles.superuser')}</Tag> : null}
      {role.bypassrls ? (
        <Tag tone="warning" title={t('roles.bypassrls-why')}>
          {t('roles.bypassrls')}
        </Tag>
      ) : null}
      {role.login ? <Tag tone="info">{t('roles.login')}</Tag> : null}
      {role.createrole ? <Tag>{t('roles.createrole')}</Tag> : null}
      {role.createdb ? <Tag>{t('roles.createdb')}</Tag> : null}
      {role.replication ? <Tag>{t('roles.replication')}</Tag> : null}
    </>
  );
}
