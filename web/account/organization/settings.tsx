/** Changes the organization's name, and lets the user leave, transfer or delete it. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { describedBy } from '../../ui/described-by.tsx';
import { leaveFor } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { callFunction, changeRows } from '../rest.ts';
import { Card } from '../security/card.tsx';
import { useFresh } from '../security/fresh.tsx';
import classes from '../security/security.module.css';
import { sessionClient } from '../session.ts';
import { t } from '../text.ts';
import { memberName, ownerRole } from './data.ts';
import { Done, Question, useOrganization } from './parts.tsx';

const nameId = 'organization-name';
const slugId = 'organization-slug';
const confirmId = 'organization-confirm';
const deleteIntroId = 'organization-delete-intro';

export function SettingsSection() {
  const { organization, reload } = useOrganization();
  const [done, setDone] = useState<string>();
  const submit = useSubmit(
    async (field) => {
      setDone(undefined);
      const [name, slug] = [field(nameId).trim(), field(slugId).trim().toLowerCase()];
      if (name === '') return [{ text: t('settings.name-missing'), fieldId: nameId }];
      if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(slug))
        return [{ text: t('settings.slug-wrong'), fieldId: slugId }];
      await changeRows(`/organizations?id=eq.${organization.id}`, { method: 'PATCH', body: { name, slug } });
      await reload();
      setDone(t('settings.saved'));
      return undefined;
    },
    { slug_taken: slugId, invalid_input: nameId },
  );
  return (
    <Card title={t('settings.title')}>
      <Done text={done} />
      <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('settings.title')}>
        <TextInput
          id={nameId}
          name={nameId}
          size="md"
          label={t('settings.name')}
          autoComplete="organization"
          maxLength={100}
          defaultValue={organization.name}
          required
          withAsterisk={false}
          error={submit.errorAt(nameId)}
        />
        <TextInput
          id={slugId}
          name={slugId}
          size="md"
          label={t('settings.slug')}
          description={t('settings.slug-hint')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={63}
          defaultValue={organization.slug}
          required
          withAsterisk={false}
          error={submit.errorAt(slugId)}
        />
        <div className={classes.actions}>
          <FormButton loading={submit.busy}>{t('organization.save')}</FormButton>
        </div>
      </Form>
    </Card>
  );
}

type Asked = 'leave' | 'transfer' | 'delete';

export function LeaveSection() {
  const { organization } = useOrganization();
  const { members, isOwner } = organization;
  const [asked, setAsked] = useState<Asked>();
  const [done, setDone] = useState<string>();
  const fresh = useFresh();
  const isOnlyOwner = isOwner && members.filter(({ role }) => role === ownerRole).length === 1;
  const ask = (what: Asked): void => {
    setDone(undefined);
    setAsked(what);
  };
  const close = (text?: string): void => {
    setAsked(undefined);
    if (text !== undefined) setDone(text);
  };
  return (
    <Card
      title={isOwner ? t('leave.title') : t('leave.title-member')}
      {...(isOnlyOwner ? { intro: t('leave.owner') } : {})}
    >
      <Done text={done} />
      {asked === undefined ? (
        <div className={classes.actions}>
          {isOnlyOwner ? null : (
            <Button variant="default" onClick={() => ask('leave')}>
              {t('leave.leave')}
            </Button>
          )}
          {isOwner && members.length > 1 ? (
            <Button variant="default" onClick={() => fresh(() => ask('transfer'))}>
              {t('leave.transfer')}
            </Button>
          ) : null}
          {isOwner ? (
            <Button
              variant="default"
              classNames={{ root: classes.danger }}
              onClick={() => fresh(() => ask('delete'))}
            >
              {t('leave.delete')}
            </Button>
          ) : null}
        </div>
      ) : null}
      {asked === 'leave' ? <Leave onClose={close} /> : null}
      {asked === 'transfer' ? <Transfer onClose={close} /> : null}
      {asked === 'delete' ? <Delete onClose={close} /> : null}
    </Card>
  );
}

/** Opens the list. The session's tokens must no longer name the organization. */
async function toList(done: 'left' | 'deleted'): Promise<never> {
  await sessionClient().refresh();
  return leaveFor(`/account/organizations?done=${done}`);
}

function Leave({ onClose }: { onClose: () => void }) {
  const { organization } = useOrganization();
  const submit = useSubmit(async () => {
    await callFunction('leave_organization', { organization_id: organization.id });
    return toList('left');
  });
  return (
    <Question
      label={t('leave.leave')}
      ask={t('leave.leave-ask', { organization: organization.name })}
      submit={submit}
      button={t('leave.leave')}
      isDangerous
      onCancel={onClose}
    />
  );
}

function Transfer({ onClose }: { onClose: (done?: string) => void }) {
  const { organization, reload } = useOrganization();
  const others = organization.members.filter(({ user_id }) => user_id !== organization.self.user_id);
  const submit = useSubmit(async (field) => {
    const userId = field('member');
    await callFunction('transfer_organization', { organization_id: organization.id, user_id: userId });
    const owner = others.find(({ user_id }) => user_id === userId);
    await Promise.all([reload(), sessionClient().refresh()]);
    onClose(t('leave.transferred', { who: owner === undefined ? '' : memberName(owner) }));
    return undefined;
  });
  return (
    <Question
      label={t('leave.transfer')}
      ask={t('leave.transfer-ask')}
      submit={submit}
      button={t('leave.transfer')}
      isDangerous
      onCancel={() => onClose()}
    >
      <NativeSelect
        id="transfer-member"
        name="member"
        size="md"
        label={t('leave.transfer-to')}
        data={others.map((member) => ({ value: member.user_id, label: optionText(member) }))}
        data-autofocus
      />
    </Question>
  );
}

/** Names and addresses, because several members can have the same name. */
const optionText = ({ name, email }: { name: string | null; email: string | null }): string =>
  name !== null && email !== null ? `${name} (${email})` : memberName({ name, email });

/** Asks for the organization's name, so that it isn't deleted by accident. */
function Delete({ onClose }: { onClose: () => void }) {
  const { organization } = useOrganization();
  const { id, name } = organization;
  const submit = useSubmit(async (field) => {
    if (field(confirmId).trim() !== name.trim())
      return [{ text: t('leave.delete-mismatch', { organization: name }), fieldId: confirmId }];
    await callFunction('delete_organization', { organization_id: id });
    return toList('deleted');
  });
  return (
    <>
      <p id={deleteIntroId}>
        <WithAddresses text={t('leave.delete-intro', { organization: name })} />
      </p>
      <Question
        label={t('leave.delete')}
        submit={submit}
        button={t('leave.delete-confirm')}
        isDangerous
        onCancel={onClose}
      >
        <TextInput
          id={confirmId}
          name={confirmId}
          size="md"
          label={<WithAddresses text={t('leave.delete-type', { organization: name })} />}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          error={submit.errorAt(confirmId)}
          data-autofocus
          {...describedBy(deleteIntroId)}
        />
      </Question>
    </>
  );
}
