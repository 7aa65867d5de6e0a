/** The actions for a policy that is turned off. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../components/confirm.tsx';
import { migrationName } from '../../components/migration-choice.tsx';
import { forgetPolicy, type Policy, type SecuredTable } from './api.ts';
import { ConfirmChange, useListing } from './change.tsx';
import { t } from './text.ts';

export function TurnedOff({ table, policy: { name } }: { table: SecuredTable; policy: Policy }) {
  const [asking, setAsking] = useState<'on' | 'forget'>();
  const close = (): void => setAsking(undefined);
  const list = useListing();
  const forget = useMutation({ mutationFn: () => forgetPolicy(table, name), onSuccess: list });
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('policies.turn-on-one', { name })}
        onClick={() => setAsking('on')}
      >
        {t('policies.turn-on')}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('policies.forget', { name })}
        onClick={() => setAsking('forget')}
      >
        {t('policies.forget-action')}
      </Button>
      {asking === 'on' ? (
        <ConfirmChange
          table={table}
          change={{ kind: 'on', name }}
          title={t('policies.turn-on-one-title', { name })}
          action={t('policies.turn-on')}
          text={t('policies.turn-on-one-text')}
          migration={migrationName('turn_on_policy', table.name, name)}
          isMild
          onDone={close}
          onClose={close}
        />
      ) : null}
      {asking === 'forget' ? (
        <Confirm
          title={t('policies.forget-title', { name })}
          action={t('policies.forget-action')}
          isBusy={forget.isPending}
          error={forget.error}
          onConfirm={() => forget.mutate()}
          onClose={close}
        >
          {t('policies.forget-text')}
        </Confirm>
      ) : null}
    </>
  );
}
