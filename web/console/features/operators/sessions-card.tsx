import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Breakable } from '../../../ui/breakable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Card } from '../../components/frame/card.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { operatorsKey, sessionsQuery } from './api.ts';
import { t } from './text.ts';

export function SessionsCard({ isOwner }: { isOwner: boolean }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (id: string) => fetchConsole('DELETE /sessions/:id', { params: { id } }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: operatorsKey }),
  });
  const problem = error ?? end.error;
  return (
    <Card
      title={t('operators.sessions')}
      text={t(isOwner ? 'operators.sessions-why-owner' : 'operators.sessions-why')}
      flush
    >
      {problem === null ? null : <ProblemBox error={problem} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={3} />
        ) : null
      ) : (
        <table className={list.table}>
          <caption className="visually-hidden">{t('operators.sessions')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('operators.name')}</th>
              <th scope="col">{t('operators.browser')}</th>
              <th scope="col" className={list.wide}>
                {t('operators.address')}
              </th>
              <th scope="col" className={list.wide}>
                {t('operators.since')}
              </th>
              <th scope="col" className={list.wide}>
                {t('operators.seen')}
              </th>
              <td aria-hidden />
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, operator_name, user_agent, ip, created_at, last_seen_at, current }) => {
              const browser = browserOf(user_agent);
              return (
                <tr key={id}>
                  <td>
                    <Breakable text={operator_name} />
                  </td>
                  <td title={user_agent ?? ''}>
                    <span className={list.named}>
                      {browser}
                      {current ? <Tag tone="info">{t('operators.this-one')}</Tag> : null}
                    </span>
                  </td>
                  <td className={`${list.wide} ${list.dim}`}>{ip}</td>
                  <td className={`${list.wide} ${list.dim}`}>
                    <Moment at={created_at} />
                  </td>
                  <td className={`${list.wide} ${list.dim}`}>
                    <Moment at={last_seen_at} relative />
                  </td>
                  <td className={list.actions}>
                    {current ? null : (
                      <Button
                        variant="default"
                        size="compact-xs"
                        aria-label={t('operators.end-of', { name: operator_name, browser })}
                        onClick={() => end.mutate(id)}
                      >
                        {t('operators.end')}
                      </Button>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </Card>
  );
}

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** @example browserOf('Mozilla/5.0 (X11; Linux x86_64) … Firefox/140.0') // 'Firefox, Linux' */
function browserOf(userAgent: string | null): string {
  const text = userAgent ?? '';
  const find = (table: typeof browsers): string | undefined =>
    table.find(([pattern]) => pattern.test(text))?.[1];
  const known = [find(browsers), find(systems)].filter((part) => part !== undefined);
  return known.length > 0 ? known.join(', ') : text.slice(0, 40) || '—';
}
