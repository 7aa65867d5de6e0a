import { Button } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { createQueryClient } from '../../lib/query.ts';
import type { Session } from '../../lib/session/index.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { loadOrganization, roleName } from '../organization/data.ts';
import { InvitationsSection } from '../organization/invitations.tsx';
import { MembersSection } from '../organization/members.tsx';
import { Done, OrganizationProvider, useOrganization } from '../organization/parts.tsx';
import { RequestsSection } from '../organization/requests.tsx';
import { RolesSection } from '../organization/roles.tsx';
import { LeaveSection, SettingsSection } from '../organization/settings.tsx';
import { SsoSections } from '../organization/sso.tsx';
import partClasses from '../parts.module.css';
import { Waiting } from '../parts.tsx';
import { callFunction } from '../rest.ts';
import { Badge, Card, LoadFailed } from '../security/card.tsx';
import { IdentityConfirmation } from '../security/fresh.tsx';
import { nameOf, needsSecondFactor, sessionClient, type User, useSession } from '../session.ts';
import { SessionFailed } from '../session-failed.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

const queries = createQueryClient();

/** The members and settings of an organization. The user's role decides what the page shows. */
export function OrganizationPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { id = '' } = useParams<{ id: string }>();
  const mustStepUp = state.status === 'signed-in' && needsSecondFactor(state.session);
  useEffect(() => {
    const search = `?${new URLSearchParams({ next: 'organizations', organization: id })}`;
    if (state.status === 'signed-out')
      navigate(state.reason === 'left' ? '/signed-out' : `/sign-in${search}`, { replace: true });
    if (mustStepUp) navigate(`/mfa${search}`, { replace: true });
  }, [state, mustStepUp, id, navigate]);
  return (
    <Shell page="page.organization" wide>
      <noscript suppressHydrationWarning>{import.meta.env.SSR ? <WithoutScripts /> : null}</noscript>
      {state.status === 'failed' ? <SessionFailed error={state.error} /> : null}
      {state.status === 'loading' ? <Waiting count={3} /> : null}
      {state.status === 'signed-in' && !mustStepUp ? (
        <QueryClientProvider client={queries}>
          <IdentityConfirmation session={state.session}>
            <Sections key={state.session.user.id} id={id} session={state.session} />
          </IdentityConfirmation>
        </QueryClientProvider>
      ) : null}
    </Shell>
  );
}

const ToList = () => (
  <p>
    <a className={partClasses.link} href="/account/organizations">
      {t('organization.all')}
    </a>
  </p>
);

const WithoutScripts = () => (
  <>
    <Notice tone="info">{t('organization.scripts')}</Notice>
    <ToList />
  </>
);

function Sections({ id, session }: { id: string; session: Session<User> }) {
  const loaded = useQuery({
    queryKey: ['organization', id],
    queryFn: () => loadOrganization(id, session.user.id),
  });
  const { refetch, data: organization } = loaded;
  const reload = useCallback(async () => {
    await refetch();
  }, [refetch]);
  const context = useMemo(() => organization && { organization, reload }, [organization, reload]);
  if (loaded.isPending) return <Waiting count={3} />;
  if (loaded.isError && organization === undefined) return <LoadFailed onAgain={() => void refetch()} />;
  if (!context) {
    return (
      <>
        <Notice tone="warning">{t('organization.gone')}</Notice>
        <ToList />
      </>
    );
  }
  const { isManager } = context.organization;
  return (
    <OrganizationProvider value={context}>
      <Overview session={session} />
      <MembersSection />
      {isManager ? (
        <>
          <InvitationsSection />
          <RequestsSection />
          <RolesSection />
          <SsoSections />
          <SettingsSection />
        </>
      ) : null}
      <LeaveSection />
    </OrganizationProvider>
  );
}

function Overview({ session }: { session: Session<User> }) {
  const { organization } = useOrganization();
  const { id, name, self } = organization;
  const [done, setDone] = useState<string>();
  const isCurrent = session.claims.org_id === id;
  const submit = useSubmit(async () => {
    await callFunction('switch_organization', { organization_id: id });
    await sessionClient().refresh();
    setDone(t('organization.switched', { organization: name }));
    return undefined;
  });
  const who = nameOf(session.user);
  const role = roleName(organization, self.role);
  return (
    <Card
      title={name}
      badge={isCurrent ? <Badge tone="good">{t('organization.current')}</Badge> : null}
      intro={<WithAddresses text={t('organization.as', { who, role })} />}
      action={
        isCurrent ? null : (
          <Button variant="default" loading={submit.busy} onClick={() => void submit.run(undefined)}>
            {t('organization.switch')}
          </Button>
        )
      }
    >
      <ErrorSummary problems={submit.problems} />
      <Done text={done} />
      <ToList />
    </Card>
  );
}
