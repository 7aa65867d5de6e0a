/**
 * Asks the operator whether an AI agent gets access (the consent page of the OAuth server). The page never redirects
 * without a press of a button, because anyone can register an agent with any redirect URI.
 */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { fetchConsole, sessionQuery } from '../../api/session.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { roles } from '../operators/api.ts';
import classes from '../operators/form.module.css';
import { type AgentRequest, type AskingAgent, agentRequestQuery, type Role } from './api.ts';
import own from './page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/authorize');
const lifetimes = [1, 7, 30, 90] as const;

export function AuthorizePage() {
  const { request } = route.useSearch();
  return (
    <>
      <PageHead title={t('agents.ask-title')} />
      <Cards>
        {request === undefined ? <Invalid text={t('agents.ask-missing')} /> : <Request packed={request} />}
      </Cards>
    </>
  );
}

function Request({ packed }: { packed: string }) {
  const { data, error } = useQuery(agentRequestQuery(packed));
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={6} />;
  if (data.agent === null) return <Invalid text={data.fault ?? ''} returnUrl={data.returnUrl} />;
  return <Question packed={packed} agent={data.agent} denyUrl={data.returnUrl} />;
}

function Invalid({ text, returnUrl = null }: { text: string; returnUrl?: string | null }) {
  return (
    <Card title={t('agents.ask-invalid')} text={text}>
      {returnUrl === null ? <ManageLink /> : <ReturnLink url={returnUrl} />}
    </Card>
  );
}

const ManageLink = () => (
  <Link to="/agents" className={classes.link}>
    {t('agents.ask-manage')}
  </Link>
);

/** Leads back to the agent. The scheme of the URL can belong to an app, which doesn't replace this page. */
const ReturnLink = ({ url }: { url: string }) => (
  <a className={classes.link} href={url} rel="noreferrer">
    {t('agents.ask-return')}
  </a>
);

function Question({
  packed,
  agent,
  denyUrl,
}: {
  packed: string;
  agent: AskingAgent;
  denyUrl: AgentRequest['returnUrl'];
}) {
  const { data: session } = useQuery(sessionQuery);
  // The roles are sorted by permissions.
  const allowed = roles.slice(roles.indexOf(session?.operator.role ?? 'read-only'));
  const [role, setRole] = useState<Role>('read-only');
  const [wantsChanges, setWantsChanges] = useState(false);
  const [lifetimeDays, setLifetime] = useState<(typeof lifetimes)[number]>(30);
  const [isDenied, setDenied] = useState(false);
  const allowsChanges = wantsChanges && role !== 'read-only';
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /agents/approve', { body: { request: packed, role, allowsChanges, lifetimeDays } }),
    onSuccess: ({ url }) => window.location.assign(url),
    // The code must not remain in the cache.
    gcTime: 0,
  });
  const { name } = agent;
  if (data !== undefined || isDenied)
    return (
      <Ended text={t(isDenied ? 'agents.ask-denied' : 'agents.ask-done', { name })}>
        {data !== undefined ? <ReturnLink url={data.url} /> : null}
      </Ended>
    );
  return (
    <Card title={t('agents.ask', { name })} text={t('agents.ask-why')}>
      <form
        className={`${classes.form} ${own.narrow}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate();
        }}
      >
        <About agent={agent} operatorName={session?.operator.name ?? ''} />
        {agent.asksForChanges ? <Notice tone="info">{t('agents.ask-changes', { name })}</Notice> : null}
        {error === null ? null : <ProblemBox error={error} />}
        <NativeSelect
          label={t('agents.ask-role')}
          description={t('agents.ask-role-hint')}
          value={role}
          data={allowed.map((value) => ({ value, label: t(`operators.role-${value}`) }))}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        />
        <Checkbox
          label={t('agents.ask-allow-changes')}
          description={t(
            role === 'read-only' ? 'agents.ask-no-changes-hint' : 'agents.ask-allow-changes-hint',
          )}
          checked={allowsChanges}
          disabled={role === 'read-only'}
          onChange={(event) => setWantsChanges(event.currentTarget.checked)}
        />
        <NativeSelect
          label={t('agents.ask-lifetime')}
          value={String(lifetimeDays)}
          data={lifetimes.map((days) => ({
            value: String(days),
            label: t('agents.ask-lifetime-days', { days }),
          }))}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setLifetime(lifetimes.find((days) => String(days) === value) ?? 1);
          }}
        />
        <div className={classes.buttons}>
          <Button
            variant="default"
            size="sm"
            onClick={() => {
              setDenied(true);
              if (denyUrl !== null) window.location.assign(denyUrl);
            }}
          >
            {t('agents.ask-deny')}
          </Button>
          <Button type="submit" size="sm" loading={isPending}>
            {t('agents.ask-approve')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function About({ agent, operatorName }: { agent: AskingAgent; operatorName: string }) {
  const { name, host, destination, isLocal } = agent;
  return (
    <Facts>
      <Fact label={t('agents.ask-name')}>{name}</Fact>
      {host === null ? null : <Fact label={t('agents.ask-host')}>{host}</Fact>}
      <Fact label={t('agents.ask-destination')}>
        <strong>{isLocal ? t('agents.ask-local', { destination }) : destination}</strong>
      </Fact>
      <Fact label={t('agents.ask-as')}>{operatorName}</Fact>
    </Facts>
  );
}

/** Shown after the decision, because an app that opens doesn't replace this page. */
function Ended({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Card title={t('agents.ask-title')}>
      <div className={classes.form}>
        <p role="status">{text}</p>
        {children}
        <ManageLink />
      </div>
    </Card>
  );
}
