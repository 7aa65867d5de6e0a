/** Shows a message with its code and link. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowLeft, IconExternalLink, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { messageQuery } from '../../api/queries.ts';
import { consoleUrl } from '../../api/route.ts';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { Message } from '../../api/types.ts';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { MailBody } from '../../components/mail-body.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { t } from '../../text.ts';
import classes from './message-view.module.css';

export function MessageView({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuery(messageQuery(id));
  if (data !== undefined) return <Opened message={data} onClose={onClose} />;
  return error === null ? (
    <SkeletonLines lines={6} />
  ) : (
    <div className={classes.view}>
      <ProblemBox error={error} />
    </div>
  );
}

function Opened({ message, onClose }: { message: Message; onClose: () => void }) {
  const { id, kind, from, to, subject, createdAt, code, link, text, hasHtml } = message;
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const { mutate: markRead } = useMutation({
    mutationFn: () => fetchConsole('POST /inbox/:id/read', { params: { id } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: ['inbox'] }),
  });
  useEffect(() => {
    if (!message.read && mayWrite) markRead();
  }, [message.read, mayWrite, markRead]);
  const remove = useMutation({
    mutationFn: () => fetchConsole('DELETE /inbox/:id', { params: { id } }),
    onSuccess: () => {
      onClose();
      void queryClient.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  return (
    <article className={classes.view}>
      <header className={classes.head}>
        <ActionIcon
          className={classes.back}
          variant="subtle"
          color="gray"
          aria-label={t('inbox.back')}
          onClick={onClose}
        >
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <div className={classes.titles}>
          <h2 className={classes.subject}>{kind === 'sms' ? t('inbox.sms') : subject}</h2>
          <p className={classes.dim}>
            {kind === 'sms'
              ? t('inbox.to', { to })
              : t('inbox.from-to', { from: from.name || from.address, to })}
            {' · '}
            <Moment at={createdAt} />
          </p>
        </div>
        {mayWrite ? (
          <ActionIcon
            variant="default"
            aria-label={t('inbox.delete')}
            title={t('inbox.delete')}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        ) : null}
      </header>
      {remove.error === null ? null : <ProblemBox error={remove.error} />}
      {code === null && link === null ? null : (
        <div className={classes.facts}>
          {code === null ? null : (
            <div className={classes.code}>
              <span className={classes.dim}>{t('inbox.code')}</span>
              <span className={classes.codeLine}>
                <code>{code}</code>
                <CopyButton value={code} what={t('inbox.code')} />
              </span>
            </div>
          )}
          {link === null ? null : (
            <Button
              component="a"
              href={link}
              target="_blank"
              rel="noreferrer"
              variant="default"
              size="sm"
              rightSection={<IconExternalLink size={15} aria-hidden />}
            >
              {t('inbox.open-link')}
            </Button>
          )}
        </div>
      )}
      <MailBody
        subject={subject}
        text={text}
        htmlUrl={hasHtml ? consoleUrl('GET /inbox/:id/html', { params: { id } }) : null}
      />
    </article>
  );
}
