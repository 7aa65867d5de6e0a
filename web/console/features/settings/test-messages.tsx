/** Forms that send a test email or a test text message with the running settings. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { mailsQuery } from './api.ts';
import { useSettingsForm } from './form.ts';
import { mailTitle } from './mail-names.ts';
import classes from './parts.module.css';
import { t } from './text.ts';

export function TestMail() {
  const { data } = useQuery(mailsQuery);
  const [template, setTemplate] = useState('magic_link');
  return (
    <TestPanel title={t('settings.test-mail-title')} text={t('settings.test-mail-where')}>
      <TestForm
        type="email"
        label={t('settings.test-mail')}
        send={(to) => fetchConsole('POST /settings/test-mail', { body: { to, template } })}
      >
        <NativeSelect
          size="xs"
          aria-label={t('settings.mail')}
          value={template}
          data={(data?.mails ?? [{ name: template }]).map(({ name }) => ({
            value: name,
            label: mailTitle(name),
          }))}
          onChange={(event) => setTemplate(event.currentTarget.value)}
        />
      </TestForm>
    </TestPanel>
  );
}

export function TestText() {
  return (
    <TestPanel title={t('settings.test-text')} text={t('settings.test-text-text')}>
      <TestForm
        type="tel"
        label={t('settings.test-text-to')}
        send={(to) => fetchConsole('POST /settings/test-text', { body: { to } })}
      />
    </TestPanel>
  );
}

function TestPanel({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const { mayWrite } = useSettingsForm();
  return mayWrite ? (
    <div className={classes.panel}>
      <h3>{title}</h3>
      <p className={classes.dimmed}>{text}</p>
      {children}
    </div>
  ) : null;
}

export function TestForm({
  type,
  label,
  send,
  children,
}: {
  type: 'email' | 'tel';
  label: string;
  send: (to: string) => Promise<unknown>;
  children?: ReactNode;
}) {
  const [to, setTo] = useState('');
  const { mutate, isPending, isSuccess, error, variables } = useMutation({ mutationFn: send });
  return (
    <>
      <form
        className={classes.inline}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate(to);
        }}
      >
        <TextInput
          size="xs"
          type={type}
          required
          aria-label={label}
          placeholder={label}
          value={to}
          autoComplete="off"
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        {children}
        <Button type="submit" size="xs" variant="default" loading={isPending}>
          {t('settings.test-mail-send')}
        </Button>
      </form>
      <p role="status">{isSuccess ? t('settings.test-sent', { to: variables }) : ''}</p>
      {error === null ? null : <ProblemBox error={error} />}
    </>
  );
}
