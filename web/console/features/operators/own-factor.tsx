import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, sessionQuery } from '../../api/session.ts';
import { Card } from '../../components/card.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { factorQuery, operatorsKey } from './api.ts';
import { CodeField, FactorSetup } from './factor-setup.tsx';
import classes from './form.module.css';
import { t } from './text.ts';

export function OwnFactor({ required }: { required: boolean }) {
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
