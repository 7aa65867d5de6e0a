/**
 * Lists operators' access tokens and the time at which each token was last used. Operators can create tokens for
 * themselves and revoke them.
 */
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Card } from '../../components/frame/card.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type TokenSummary, tokensQuery } from './api.ts';
import { NewToken } from './new-token.tsx';
import { t } from './text.ts';

export function TokensCard({ isOwner }: { isOwner: boolean }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(tokensQuery);
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<TokenSummary | undefined>();
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const revoke = useMutation({
    mutationFn: ({ id }: TokenSummary) => fetchConsole('DELETE /tokens/:id', { params: { id } }),
    onSuccess: () => setRevoking(undefined),
    onSettled: refresh,
  });
  return (
    <>
      <Card
        title={t('tokens.title')}
        text={t('tokens.why')}
        flush
        tools={
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setCreating(true)}
          >
            {t('tokens.create')}
          </Button>
        }
      >
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={2} />
          ) : null
        ) : data.length === 0 ? (
          <p className={list.none}>{t('tokens.none')}</p>
        ) : (
          <Tokens tokens={data} isOwner={isOwner} onRevoke={setRevoking} />
        )}
      </Card>
      {isCreating ? <NewToken onClose={() => setCreating(false)} onCreated={refresh} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={t('tokens.revoke-title')}
          action={t('tokens.revoke')}
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(revoking)}
          onClose={() => {
            revoke.reset();
            setRevoking(undefined);
          }}
        >
          <p>{t('tokens.revoke-text', { name: revoking.name, operator: revoking.operatorName })}</p>
        </Confirm>
      )}
    </>
  );
}

function Tokens({
  tokens,
  isOwner,
  onRevoke,
}: {
  tokens: readonly TokenSummary[];
  isOwner: boolean;
  onRevoke: (token: TokenSummary) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('tokens.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('tokens.name')}</th>
          {isOwner ? (
            <th scope="col" className={list.wide}>
              {t('tokens.operator')}
            </th>
          ) : null}
          <th scope="col" className={list.wide}>
            {t('tokens.role')}
          </th>
          <th scope="col" className={list.wide}>
            {t('tokens.created')}
          </th>
          <th scope="col">{t('tokens.expires')}</th>
          <th scope="col" className={list.wide}>
            {t('tokens.last-used')}
          </th>
          <td aria-hidden />
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td>{token.name}</td>
            {isOwner ? <td className={`${list.wide} ${list.dim}`}>{token.operatorName}</td> : null}
            <td className={list.wide}>
              <Tag tone="info">{t(`operators.role-${token.role}`)}</Tag>
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              <Moment at={token.createdAt} relative />
            </td>
            <td className={list.dim}>
              <Expiry token={token} />
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              {token.lastUsedAt === null ? t('tokens.not-used') : <Moment at={token.lastUsedAt} relative />}
            </td>
            <td className={list.actions}>
              <Button
                variant="default"
                size="compact-xs"
                aria-label={t('tokens.revoke-of', { name: token.name, operator: token.operatorName })}
                onClick={() => onRevoke(token)}
              >
                {t('tokens.revoke')}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Expiry({ token: { expiresAt, isExpired } }: { token: TokenSummary }) {
  if (expiresAt === null) return t('tokens.never');
  return isExpired ? <Tag tone="warning">{t('tokens.expired')}</Tag> : <Moment at={expiresAt} relative />;
}
