import { Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { messagesKey, queuesQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { t } from '../text.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function SendMessage({
  queue,
  onClose,
  onSent,
}: {
  queue: string;
  onClose: () => void;
  onSent: (id: string) => void;
}) {
  const queryClient = useQueryClient();
  const [message, setMessage] = useState('{"hello": "world"}');
  const [headers, setHeaders] = useState('');
  const [delay, setDelay] = useState('0');
  const [wasSent, setWasSent] = useState(false);
  const isHeadersGood = headers.trim() === '' || isJson(headers);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /jobs/queues/:queue/messages', {
        params: { queue },
        body: {
          message,
          delaySeconds: Number(delay),
          ...(headers.trim() === '' ? {} : { headers }),
        },
      }),
    onSuccess: async ({ id }) => {
      onSent(id);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: messagesKey(queue) }),
        queryClient.invalidateQueries({ queryKey: queuesQuery.queryKey }),
      ]);
    },
  });
  return (
    <FormDialog
      title={t('queues.send')}
      action={t('queues.send-action')}
      isBusy={isPending}
      error={error}
      onSubmit={() => {
        setWasSent(true);
        if (isJson(message) && isHeadersGood) mutate();
      }}
      onClose={onClose}
    >
      <Textarea
        label={t('queues.message')}
        required
        rows={6}
        spellCheck={false}
        data-autofocus
        classNames={{ input: classes.code }}
        error={wasSent && !isJson(message) ? t('queues.message-bad') : undefined}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
      />
      <Textarea
        label={t('queues.message-headers')}
        description={t('queues.headers-optional')}
        rows={2}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={wasSent && !isHeadersGood ? t('queues.message-bad') : undefined}
        value={headers}
        onChange={(event) => setHeaders(event.currentTarget.value)}
      />
      <TextInput
        label={t('queues.delay')}
        required
        type="number"
        min={0}
        max={31_536_000}
        value={delay}
        onChange={(event) => setDelay(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
