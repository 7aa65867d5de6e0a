/** The operators page, which shows all operators, their sessions, and the second factor of the signed-in operator. */
import { Button, CloseButton, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, sessionQuery, useMay } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { useIntent } from '../../components/intent.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { factorQuery, operatorsKey, operatorsQuery, passkeysQuery } from './api.ts';
import { CodeField, FactorSetup } from './factor-setup.tsx';
import classes from './form.module.css';
import { Invite } from './invite.tsx';
import { addPasskey, canUsePasskeys } from './passkey.ts';
import { PeopleTable } from './people-table.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { t } from './text.ts';
import { TokensCard } from './tokens-card.tsx';

export function OperatorsPage() {
  const { data, error } = useQuery(operatorsQuery);
  const { data: session } = useQuery(sessionQuery);
  const mayOwn = useMay('own');
  const [isInviting, setInviting] = useState(false);
  useIntent({ 'invite-operator': () => setInviting(true) });
  return (
    <>
      <PageHead title={t('operators.title')}>
        {mayOwn ? (
          <Button
            size="compact-sm"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setInviting(true)}
          >
            {t('operators.invite')}
          </Button>
        ) : null}
      </PageHead>
      <Cards>
        <Card title={t('operators.people')} text={t('operators.people-why')} flush>
          {error === null ? null : <ProblemBox error={error} />}
          {data === undefined ? (
            error === null ? (
              <SkeletonLines lines={4} />
            ) : null
          ) : (
            <PeopleTable
              operators={data.operators}
              ownName={session?.operator.name}
              mayOwn={mayOwn}
              canSendMail={data.canSendMail}
            />
          )}
        </Card>
        <OwnFactor required={data?.factorRequired ?? false} />
        <OwnPasskeys />
        <TokensCard isOwner={mayOwn} />
        <SessionsCard isOwner={mayOwn} />
      </Cards>
      {isInviting ? (
        <Invite canSendMail={data?.canSendMail ?? false} onClose={() => setInviting(false)} />
      ) : null}
    </>
  );
}

function OwnFactor({ required }: { required: boolean }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(factorQuery);
  const [open, setOpen] = useState<'set-up' | 'remove' | undefined>();
  const done = (): void => {
    setOpen(undefined);
    void queryClient.invalidateQueries({ queryKey: operatorsKey });
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const isOn = data?.confirmed ?? false;
  const text =
    data === undefined
      ? ''
      : isOn
        ? t('operators.own-factor-on', { left: data.recoveryCodesLeft })
        : t('operators.own-factor-off');
  return (
    <>
      <Card
        title={t('operators.own-factor')}
        text={text}
        tools={
          data === undefined || (isOn && required) ? null : (
            <Button size="compact-sm" variant="default" onClick={() => setOpen(isOn ? 'remove' : 'set-up')}>
              {t(isOn ? 'operators.factor-remove' : 'operators.factor-set-up')}
            </Button>
          )
        }
      >
        {error === null ? null : <ProblemBox error={error} />}
      </Card>
      {open === undefined ? null : (
        <Dialog
          onClose={done}
          title={t(open === 'remove' ? 'operators.factor-remove' : 'operators.own-factor')}
        >
          {open === 'set-up' ? <FactorSetup onDone={done} /> : <Remove onDone={done} />}
        </Dialog>
      )}
    </>
  );
}

function Remove({ onDone }: { onDone: () => void }) {
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('DELETE /factor', { body: { code } }),
    onSuccess: onDone,
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate();
      }}
    >
      <p className={classes.text}>{t('operators.factor-remove-text')}</p>
      {error === null ? null : <ProblemBox error={error} />}
      <CodeField label={t('factor.code-or-recovery')} value={code} onChange={setCode} />
      <div className={classes.buttons}>
        <Button type="submit" color="red" size="sm" loading={isPending}>
          {t('operators.factor-remove')}
        </Button>
      </div>
    </form>
  );
}

/**
 * Shows the passkeys. Passkeys require an authenticator app, because operators who lose their passkeys need the app's
 * recovery codes.
 */
function OwnPasskeys() {
  const { data: factor } = useQuery(factorQuery);
  return factor?.confirmed === true && canUsePasskeys() ? <Passkeys /> : null;
}

function Passkeys() {
  const queryClient = useQueryClient();
  const { data: passkeys = [], error } = useQuery(passkeysQuery);
  const [name, setName] = useState('');
  const onSuccess = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey });
    setName('');
  };
  const add = useMutation({ mutationFn: () => addPasskey(name.trim()), onSuccess });
  const remove = useMutation({
    mutationFn: (id: string) => fetchConsole('DELETE /factor/passkeys/:id', { params: { id } }),
    onSuccess,
  });
  const problem = error ?? add.error ?? remove.error;
  return (
    <Card title={t('passkey.title')} text={t('passkey.text')}>
      <div className={classes.form}>
        {passkeys.map(({ id, name: each, createdAt, lastUsedAt }) => (
          <div key={id} className={classes.row}>
            <span>
              <strong>{each}</strong>{' '}
              <span className={classes.text}>
                {t(lastUsedAt === null ? 'passkey.made' : 'passkey.used')}{' '}
                <Moment at={lastUsedAt ?? createdAt} />
              </span>
            </span>
            <CloseButton
              size="sm"
              aria-label={t('passkey.remove', { name: each })}
              disabled={remove.isPending}
              onClick={() => remove.mutate(id)}
            />
          </div>
        ))}
        {problem === null ? null : <ProblemBox error={problem} />}
        <form
          className={classes.inline}
          onSubmit={(event) => {
            event.preventDefault();
            if (!add.isPending) add.mutate();
          }}
        >
          <TextInput
            size="xs"
            required
            maxLength={100}
            autoComplete="off"
            aria-label={t('passkey.name')}
            placeholder={t('passkey.name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" loading={add.isPending}>
            {t('passkey.add')}
          </Button>
        </form>
      </div>
    </Card>
  );
}
