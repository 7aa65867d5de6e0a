/** Lets users download their data, and delete their account if the project allows deletion. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { describedBy } from '../../ui/described-by.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { forgetLeft, signOut } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { callAuth, nameOf, type User } from '../session.ts';
import { t } from '../text.ts';
import { Card } from './card.tsx';
import { useConfirmIdentity, useFresh } from './fresh.tsx';
import classes from './security.module.css';

const nameId = 'account-name';
const introId = 'delete-intro';

export function DataSection({ user, onDeleted }: { user: User; onDeleted: () => void }) {
  const { brand, deletion } = usePageConfig();
  const [isSaved, setSaved] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const fresh = useFresh();
  const download = useSubmit(async () => {
    save('account.json', JSON.stringify(await callAuth('/user/data'), null, 2));
    setSaved(true);
    return undefined;
  });
  return (
    <Card title={t('data.title')} intro={t('data.intro')}>
      <ErrorSummary problems={download.problems} />
      <div role="status">{isSaved ? <Notice tone="success">{t('data.saved')}</Notice> : null}</div>
      <div className={classes.actions}>
        <Button variant="default" loading={download.busy} onClick={() => download.run(undefined)}>
          {t('data.download')}
        </Button>
        {deletion && !confirming ? (
          <Button
            variant="default"
            classNames={{ root: classes.danger }}
            onClick={() => fresh(() => setConfirming(true))}
          >
            {t('data.delete')}
          </Button>
        ) : null}
      </div>
      {confirming ? (
        <div className={classes.part}>
          <p id={introId}>{t('data.delete-intro', { name: brand.name })}</p>
          <DeleteForm user={user} onDeleted={onDeleted} onKeep={() => setConfirming(false)} />
        </div>
      ) : null}
    </Card>
  );
}

/** Deletes the account. Returns false if the sign-in is too old and the user doesn't confirm their identity. */
async function deleteAccount(confirmIdentity: () => Promise<boolean>): Promise<boolean> {
  const remove = () => callAuth('/user', { method: 'DELETE' });
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'reauthentication_needed')) throw error;
    // The sign-in has become too old while the form was open.
    if (!(await confirmIdentity())) return false;
    await remove();
  }
  return true;
}

/**
 * Asks for confirmation before the account is deleted. To prevent accidental deletion, the user must type the account's
 * name. Guests don't have a name.
 */
function DeleteForm(props: { user: User; onDeleted: () => void; onKeep: () => void }) {
  const who = nameOf(props.user);
  const confirmIdentity = useConfirmIdentity();
  const submit = useSubmit(async (field) => {
    if (field(nameId).trim().toLowerCase() !== who.toLowerCase()) {
      return [{ text: t('data.delete-mismatch', { who }), fieldId: nameId }];
    }
    try {
      if (!(await deleteAccount(confirmIdentity))) return undefined;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
      return [{ text: t('data.delete-refused'), code: error.code, requestId: error.requestId }];
    }
    props.onDeleted();
    await signOut('local');
    // The list of accounts in this browser no longer offers the deleted account.
    await forgetLeft();
    return undefined;
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('data.delete')}>
      {who === '' ? null : (
        <TextInput
          id={nameId}
          name={nameId}
          size="md"
          label={<WithAddresses text={t('data.delete-type', { who })} />}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          {...describedBy(introId)}
          error={submit.errorAt(nameId)}
        />
      )}
      <div className={classes.actions}>
        <FormButton color="red" loading={submit.busy}>
          {t('data.delete-confirm')}
        </FormButton>
        <Button variant="default" onClick={props.onKeep}>
          {t('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}

/** Offers the text as a file download. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
