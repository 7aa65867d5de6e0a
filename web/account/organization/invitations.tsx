/** Invites people by email or link, and lists the open invitations. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatRelative } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { looksLikeEmail } from '../form/fields.ts';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { pageConfig } from '../page-config.ts';
import { EmailField } from '../parts.tsx';
import { callFunction, changeRows } from '../rest.ts';
import { Badge, Card } from '../security/card.tsx';
import { Meta } from '../security/entry.tsx';
import classes from '../security/security.module.css';
import { callAuth } from '../session.ts';
import { t } from '../text.ts';
import { type Invitation, roleName } from './data.ts';
import { Done, RoleSelect, useOrganization } from './parts.tsx';

const emailId = 'invite-email';

const sendInvitation = (organizationId: string, email: string, role: string): Promise<void> =>
  callAuth('/organizations/invitations', {
    method: 'POST',
    body: { organization_id: organizationId, email, role },
  });

function joinUrl(token: string): string {
  const url = new URL(pageConfig.organizations?.joinUrl ?? '', window.location.origin);
  url.searchParams.set('token', token);
  return url.href;
}

export function InvitationsSection() {
  const { organization, reload } = useOrganization();
  const { id, invitations } = organization;
  const [done, setDone] = useState<string>();
  const [link, setLink] = useState<string>();
  const clear = (): void => {
    setDone(undefined);
    setLink(undefined);
  };
  const submit = useSubmit(
    async (field) => {
      clear();
      const email = field('email').trim();
      if (!looksLikeEmail(email)) {
        return [{ text: t(email === '' ? 'field.email-missing' : 'field.email-wrong'), fieldId: emailId }];
      }
      await sendInvitation(id, email, field('role'));
      setDone(t('invite.sent', { email }));
      const input = document.getElementById(emailId);
      if (input instanceof HTMLInputElement) input.value = '';
      await reload();
      return undefined;
    },
    { already_member: emailId, validation_failed: emailId, email_address_not_authorized: emailId },
  );
  const makeLink = async (field: (name: string) => string): Promise<undefined> => {
    clear();
    const [made] = await callFunction<{ token: string }[]>('invite_to_organization', {
      organization_id: id,
      role: field('role'),
    });
    setLink(joinUrl(made?.token ?? ''));
    await reload();
    return undefined;
  };
  const resend = useSubmit(async () => undefined);
  return (
    <Card title={t('invite.title')} intro={t('invite.intro')}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('invite.send')}>
        <EmailField id={emailId} error={submit.errorAt(emailId)} isOther />
        <RoleSelect id="invite-role" />
        <div className={classes.actions}>
          <FormButton loading={submit.busy}>{t('invite.send')}</FormButton>
          <Button
            variant="default"
            disabled={submit.busy}
            onClick={(event) => void submit.run(event.currentTarget.form ?? undefined, makeLink)}
          >
            {t('invite.link')}
          </Button>
        </div>
      </Form>
      <Done text={done} />
      <div role="status">
        {link === undefined ? null : (
          <Notice tone="info">
            <p>{t('invite.link-made')}</p>
            <Copyable value={link} what={t('invite.link-what')} />
          </Notice>
        )}
      </div>
      <ErrorSummary problems={resend.problems} />
      {invitations.length === 0 ? <p className={classes.meta}>{t('invite.none')}</p> : null}
      <ul className={classes.list}>
        {invitations.map((invitation) => (
          <InvitationEntry
            key={invitation.id}
            invitation={invitation}
            busy={resend.busy}
            onResend={(email) =>
              void resend.run(undefined, async () => {
                clear();
                await sendInvitation(id, email, invitation.role);
                setDone(t('invite.sent', { email }));
                await reload();
                return undefined;
              })
            }
            onWithdraw={() =>
              void resend.run(undefined, async () => {
                clear();
                await changeRows(`/organization_invitations?id=eq.${invitation.id}`, { method: 'DELETE' });
                setDone(t('invite.withdrawn'));
                await reload();
                return undefined;
              })
            }
          />
        ))}
      </ul>
    </Card>
  );
}

function InvitationEntry(props: {
  invitation: Invitation;
  busy: boolean;
  onResend: (email: string) => void;
  onWithdraw: () => void;
}) {
  const { organization } = useOrganization();
  const { email, role, expires_at: expiresAt } = props.invitation;
  const name = email ?? t('invite.link-name');
  const isExpired = Date.parse(expiresAt) <= Date.now();
  const expiry = isExpired ? '' : t('invite.expires', { when: formatRelative(expiresAt) });
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <bdi className={classes.long}>
            <WithAddresses text={name} />
          </bdi>
          {isExpired ? <Badge tone="plain">{t('invite.expired')}</Badge> : null}
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <Meta parts={[roleName(organization, role), expiry]} />
        </span>
      </span>
      <div className={classes.actions}>
        {email === null ? null : (
          <Button
            variant="default"
            disabled={props.busy}
            aria-label={t('invite.resend-what', { email })}
            onClick={() => props.onResend(email)}
          >
            {t('invite.resend')}
          </Button>
        )}
        <Button
          variant="default"
          disabled={props.busy}
          aria-label={t('invite.withdraw-what', { name })}
          onClick={props.onWithdraw}
        >
          {t('invite.withdraw')}
        </Button>
      </div>
    </li>
  );
}
