import { ActionIcon, Menu, NativeSelect } from '@mantine/core';
import { IconDots, IconLink, IconLinkOff, IconShieldOff, IconUserMinus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { Breakable } from '../../../ui/breakable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { menuProps } from '../../components/keyboard/menu-props.ts';
import { PopupLayer } from '../../components/keyboard/modal-layer.ts';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type OperatorSummary, operatorsKey, type Role, roles } from './api.ts';
import { InvitationLink } from './invite.tsx';
import { t } from './text.ts';

const calls = {
  remove: 'DELETE /operators/:id',
  'reset-factor': 'DELETE /operators/:id/factor',
  'revoke-link': 'DELETE /operators/:id/link',
} as const;

type Confirmation = { readonly what: keyof typeof calls; readonly operator: OperatorSummary };

export function PeopleTable({
  operators,
  ownName,
  mayOwn,
  canSendMail,
}: {
  operators: readonly OperatorSummary[];
  ownName: string | undefined;
  mayOwn: boolean;
  canSendMail: boolean;
}) {
  const queryClient = useQueryClient();
  const refresh = (): void => void queryClient.invalidateQueries({ queryKey: operatorsKey });
  const [confirmation, setConfirmation] = useState<Confirmation | undefined>();
  const setRole = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) =>
      fetchConsole('PATCH /operators/:id', { params: { id }, body: { role } }),
    onSettled: refresh,
  });
  const link = useMutation({
    mutationFn: ({ id }: OperatorSummary) => fetchConsole('POST /operators/:id/link', { params: { id } }),
    onSettled: refresh,
  });
  const act = useMutation({
    mutationFn: ({ what, operator }: Confirmation) =>
      fetchConsole(calls[what], { params: { id: operator.id } }),
    onSuccess: () => setConfirmation(undefined),
    onSettled: refresh,
  });
  const problem = setRole.error ?? link.error;
  return (
    <>
      {problem === null ? null : <ProblemBox error={problem} />}
      <table className={list.table}>
        <caption className="visually-hidden">{t('operators.people')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('operators.name')}</th>
            <th scope="col">{t('operators.role')}</th>
            <th scope="col" className={list.wide}>
              {t('operators.factor')}
            </th>
            <th scope="col" className={`${list.wide} ${list.number}`}>
              {t('operators.sessions-count')}
            </th>
            <th scope="col" className={list.wide}>
              {t('operators.last-seen')}
            </th>
            {mayOwn ? <td aria-hidden /> : null}
          </tr>
        </thead>
        <tbody>
          {operators.map((operator) => {
            const { id, name, role, has_factor, sessions, last_sign_in_at, link_expires_at } = operator;
            return (
              <tr key={id}>
                <td>
                  <span className={list.named}>
                    <span>
                      <Breakable text={name} />
                    </span>
                    {name === ownName ? <Tag tone="info">{t('operators.you')}</Tag> : null}
                  </span>
                  {link_expires_at === null ? null : (
                    <div className={list.dim}>
                      {t('operators.link-open', { until: formatDateTime(link_expires_at) })}
                    </div>
                  )}
                </td>
                <td>
                  {mayOwn ? (
                    <NativeSelect
                      size="xs"
                      miw="7.5rem"
                      aria-label={t('operators.role-of', { name })}
                      value={role}
                      data={roles.map((value) => ({ value, label: t(`operators.role-${value}`) }))}
                      onChange={(event) => setRole.mutate({ id, role: event.currentTarget.value as Role })}
                    />
                  ) : (
                    t(`operators.role-${role}`)
                  )}
                </td>
                <td className={list.wide}>
                  <Tag tone={has_factor ? 'success' : 'plain'}>
                    {t(has_factor ? 'operators.factor-on' : 'operators.factor-off')}
                  </Tag>
                </td>
                <td className={`${list.wide} ${list.number} ${list.dim}`}>{sessions}</td>
                <td className={`${list.wide} ${list.dim}`}>
                  {last_sign_in_at === null ? t('operators.never') : <Moment at={last_sign_in_at} relative />}
                </td>
                {mayOwn ? (
                  <td className={list.actions}>
                    <Menu {...menuProps} position="bottom-end">
                      <Menu.Target>
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={t('operators.actions', { name })}
                        >
                          <IconDots size={18} aria-hidden />
                        </ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        <PopupLayer />
                        <Menu.Item
                          leftSection={<IconLink size={16} aria-hidden />}
                          onClick={() => link.mutate(operator)}
                        >
                          {t('operators.new-link')}
                        </Menu.Item>
                        {link_expires_at === null ? null : (
                          <Menu.Item
                            leftSection={<IconLinkOff size={16} aria-hidden />}
                            onClick={() => setConfirmation({ what: 'revoke-link', operator })}
                          >
                            {t('operators.revoke-link')}
                          </Menu.Item>
                        )}
                        {has_factor ? (
                          <Menu.Item
                            leftSection={<IconShieldOff size={16} aria-hidden />}
                            onClick={() => setConfirmation({ what: 'reset-factor', operator })}
                          >
                            {t('operators.reset-factor')}
                          </Menu.Item>
                        ) : null}
                        <Menu.Item
                          style={{ color: 'var(--plinth-danger)' }}
                          leftSection={<IconUserMinus size={16} aria-hidden />}
                          onClick={() => setConfirmation({ what: 'remove', operator })}
                        >
                          {t('operators.remove')}
                        </Menu.Item>
                      </Menu.Dropdown>
                    </Menu>
                  </td>
                ) : null}
              </tr>
            );
          })}
        </tbody>
      </table>
      {link.data === undefined || link.variables === undefined ? null : (
        <InvitationLink
          operator={link.variables}
          invitation={link.data}
          canSendMail={canSendMail}
          onClose={() => link.reset()}
        />
      )}
      {confirmation === undefined ? null : (
        <Confirm
          title={t(
            confirmation.what === 'remove' ? 'operators.remove-title' : `operators.${confirmation.what}`,
          )}
          action={t(`operators.${confirmation.what}`)}
          {...(confirmation.what === 'remove' ? { typed: confirmation.operator.name } : {})}
          isBusy={act.isPending}
          error={act.error}
          onConfirm={() => act.mutate(confirmation)}
          onClose={() => {
            act.reset();
            setConfirmation(undefined);
          }}
        >
          <p>{t(`operators.${confirmation.what}-text`, { name: confirmation.operator.name })}</p>
        </Confirm>
      )}
    </>
  );
}
