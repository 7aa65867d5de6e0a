/** Previews of emails, and test messages. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { Card } from '../../components/card.tsx';
import { MailBody } from '../../components/mail-body.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { mailQuery, mailsQuery } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function Mails({
  chosen,
  mayWrite,
  onChoose,
}: {
  chosen: string | undefined;
  mayWrite: boolean;
  onChoose: (name: string) => void;
}) {
  const { data, error } = useQuery(mailsQuery);
  const name = chosen ?? data?.names[0];
  return (
    <>
      <Card
        title={t('settings.mail-title')}
        text={t('settings.mail-text')}
        tools={
          <NativeSelect
            size="xs"
            aria-label={t('settings.mail')}
            value={name ?? ''}
            data={[...(data?.names ?? [])]}
            onChange={(event) => onChoose(event.currentTarget.value)}
          />
        }
      >
        {error === null ? null : <ProblemBox error={error} />}
        {name === undefined ? null : <Mail key={name} name={name} mayWrite={mayWrite} />}
      </Card>
      {mayWrite ? (
        <Card title={t('settings.test-text')} text={t('settings.test-text-text')}>
          <TestForm
            type="tel"
            label={t('settings.test-text-to')}
            send={(to) => fetchConsole('POST /settings/test-text', { body: { to } })}
          />
        </Card>
      ) : null}
    </>
  );
}

function Mail({ name, mayWrite }: { name: string; mayWrite: boolean }) {
  const { data, error } = useQuery(mailQuery(name));
  if (data === undefined) return error === null ? <SkeletonLines lines={8} /> : <ProblemBox error={error} />;
  const { subject, text, file, fault } = data;
  return (
    <div className={classes.mail}>
      {fault === null ? (
        <p className={classes.dimmed}>
          {file === null ? t('settings.mail-ours') : t('settings.mail-own', { file })}
        </p>
      ) : (
        <Notice tone="warning">
          <p>{t('settings.mail-fault', { file: file ?? name, fault })}</p>
        </Notice>
      )}
      <p>
        <span className={classes.dimmed}>{t('settings.mail-subject')} </span>
        <strong>{subject}</strong>
      </p>
      <MailBody
        subject={subject}
        text={text}
        htmlUrl={consoleUrl('GET /settings/mails/:name/html', { params: { name } })}
      />
      {mayWrite ? (
        <>
          <TestForm
            type="email"
            label={t('settings.test-mail')}
            send={(to) => fetchConsole('POST /settings/test-mail', { body: { to, template: name } })}
          />
          <p className={classes.dimmed}>{t('settings.test-mail-where')}</p>
        </>
      ) : null}
    </div>
  );
}

function TestForm({
  type,
  label,
  send,
}: {
  type: 'email' | 'tel';
  label: string;
  send: (to: string) => Promise<unknown>;
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
        <Button type="submit" size="xs" variant="default" loading={isPending}>
          {t('settings.test-mail-send')}
        </Button>
      </form>
      <p role="status">{isSuccess ? t('settings.test-sent', { to: variables }) : ''}</p>
      {error === null ? null : <ProblemBox error={error} />}
    </>
  );
}
