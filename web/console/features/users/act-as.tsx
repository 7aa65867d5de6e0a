/**
 * Creates a token with which the operator acts as a user. After confirmation, shows the token in a code sample that
 * works unchanged.
 */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copyable } from '../../../ui/copyable.tsx';
import type { Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import dialog from '../../components/dialog.module.css';
import { Dialog } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { impersonationsQuery } from '../../components/persona/impersonation-banner.tsx';
import { t } from './text.ts';
import { nameOf } from './user-name.ts';

export function ActAs({ user, onClose }: { user: User; onClose: () => void }) {
  const queryClient = useQueryClient();
  const name = nameOf(user);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => fetchConsole('POST /users/:id/impersonate', { params: { id: user.id } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: impersonationsQuery.queryKey }),
  });
  if (data === undefined)
    return (
      <FormDialog
        title={t('act.title', { name })}
        action={t('act.start')}
        isBusy={isPending}
        error={error}
        onSubmit={() => mutate()}
        onClose={onClose}
      >
        <p>{t('act.text')}</p>
      </FormDialog>
    );
  return (
    <Dialog size="lg" onClose={onClose} title={t('act.title', { name })}>
      <div className={dialog.form}>
        <p role="status">
          {t('act.ready', {
            name,
            time: new Date(data.expiresAt).toLocaleTimeString([], { timeStyle: 'short' }),
          })}
        </p>
        <CodeBlock text={snippetOf(data)} what={t('act.snippet')} />
        <Copyable value={data.accessToken} what={t('act.token')} />
        <div className={dialog.buttons}>
          <Button size="sm" onClick={onClose} data-autofocus>
            {t('panel.close')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const snippetOf = ({ url, publishableKey, accessToken }: Payload<'POST /users/:id/impersonate'>): string =>
  `import { createClient } from '@supabase/supabase-js';

const supabase = createClient('${url}', '${publishableKey}', {
  accessToken: async () => '${accessToken}',
});`;
