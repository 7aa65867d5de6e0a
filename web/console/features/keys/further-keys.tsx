import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Card } from '../../components/frame/card.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { Tag } from '../../components/tag.tsx';
import type { ApiKey } from './api.ts';
import { CreateKey } from './create-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { t } from './text.ts';

export function FurtherKeys({ keys, mayOwn }: { keys: readonly ApiKey[]; mayOwn: boolean }) {
  /** The key that a new key replaces. Null if the new key doesn't replace a key. */
  const [creating, setCreating] = useState<ApiKey | null>();
  const [revoking, setRevoking] = useState<ApiKey | undefined>();
  return (
    <>
      <Card
        title={t('keys.further')}
        text={t('keys.further-text')}
        flush
        tools={
          mayOwn ? (
            <Button
              size="compact-sm"
              leftSection={<IconPlus size={15} aria-hidden />}
              onClick={() => setCreating(null)}
            >
              {t('keys.create')}
            </Button>
          ) : null
        }
      >
        {keys.length === 0 ? (
          <p className={list.none}>{t('keys.none')}</p>
        ) : (
          <table className={list.table}>
            <caption className="visually-hidden">{t('keys.further')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('keys.name')}</th>
                <th scope="col" className={list.wide}>
                  {t('keys.key')}
                </th>
                <th scope="col" className={list.wide}>
                  {t('keys.created')}
                </th>
                <th scope="col">{t('keys.last-used')}</th>
                {mayOwn ? <td aria-hidden /> : null}
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td>
                    <span className={list.named}>
                      {key.name}
                      {key.wasDefault === true ? (
                        <Tag>{t('keys.was-default')}</Tag>
                      ) : (
                        <Tag tone={key.kind === 'secret' ? 'warning' : 'info'}>
                          {t(`keys.kind-${key.kind}`)}
                        </Tag>
                      )}
                    </span>
                  </td>
                  <td className={list.wide}>
                    <code>{key.hint}…</code>
                  </td>
                  <td className={`${list.wide} ${list.dim}`}>
                    <Moment at={key.createdAt} /> · {key.createdBy}
                  </td>
                  <td className={list.dim}>
                    {key.lastUsedAt === null ? t('keys.not-used') : <Moment at={key.lastUsedAt} relative />}
                  </td>
                  {mayOwn ? (
                    <td className={list.actions}>
                      {key.wasDefault === true ? null : (
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={t('keys.replace-of', { name: key.name })}
                          onClick={() => setCreating(key)}
                        >
                          {t('keys.rotate')}
                        </Button>
                      )}{' '}
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={t('keys.revoke-of', { name: key.name })}
                        onClick={() => setRevoking(key)}
                      >
                        {t('keys.revoke')}
                      </Button>
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Card>
      {creating === undefined ? null : (
        <CreateKey replaced={creating} onClose={() => setCreating(undefined)} />
      )}
      {revoking === undefined ? null : (
        <RevokeKey
          apiKey={revoking}
          onRevoked={() => setRevoking(undefined)}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}
