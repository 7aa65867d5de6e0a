import { ActionIcon, Button } from '@mantine/core';
import { IconArrowLeft, IconBolt, IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { homeQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ItemName, ItemNav, itemLink, SplitView } from '../../components/frame/split-view.tsx';
import { useIntent } from '../../components/intent.ts';
import { CodeBlock } from '../../components/json-block.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import activity from './activity.module.css';
import { Activity } from './activity.tsx';
import { type FunctionFacts, functionsQuery } from './api.ts';
import { CodeView } from './code-view.tsx';
import { Invocations } from './invocations.tsx';
import { InvokeForm } from './invoke-form.tsx';
import { LogView } from './log-view.tsx';
import { NewFunction } from './new-function.tsx';
import classes from './page.module.css';
import { Secrets } from './secrets.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/functions');
const tones = { running: 'success', failed: 'danger', idle: 'plain' } as const;

export function FunctionsPage() {
  const { name, view } = route.useSearch();
  const { data, error } = useQuery(functionsQuery);
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  useIntent({ 'create-function': () => setCreating(true) });
  const open = data?.find(({ slug }) => slug === name);
  return (
    <>
      <PageHead title={t('nav.functions')}>
        {mayWrite ? (
          <Button
            size="xs"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setCreating(true)}
          >
            {t('functions.new')}
          </Button>
        ) : null}
      </PageHead>
      {isCreating ? (
        <NewFunction
          onClose={() => setCreating(false)}
          onCreated={(slug) => {
            setCreating(false);
            void navigate({ search: { name: slug } });
          }}
        />
      ) : null}
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : data.length === 0 && view === undefined ? (
        <EmptyState
          icon={<IconBolt size={22} stroke={1.75} />}
          title={t('functions.none-title')}
          text={t('functions.none-text')}
        >
          <CodeBlock text={ownCommand('functions new hello')} what={t('functions.command')} />
          <Link to="/functions" search={{ view: 'secrets' }}>
            {t('functions.all-secrets')}
          </Link>
        </EmptyState>
      ) : (
        <SplitView
          isOpen={open !== undefined || view !== undefined}
          isScrolling
          list={
            <ItemNav label={t('functions.list')}>
              <Link to="/functions" search={{ view: 'secrets' }} {...itemLink(view === 'secrets')}>
                <IconKey size={16} stroke={1.75} aria-hidden />
                <ItemName>{t('secrets.title')}</ItemName>
              </Link>
              <hr className={classes.divider} />
              {data.map(({ slug, state }) => (
                <Link
                  key={slug}
                  to="/functions"
                  search={({ name: _previous, file: _file, view: _view, ...rest }) => ({
                    ...rest,
                    name: slug,
                  })}
                  {...itemLink(slug === name)}
                >
                  <IconBolt size={16} stroke={1.75} aria-hidden />
                  <ItemName>{slug}</ItemName>
                  {state === 'idle' ? null : <Tag tone={tones[state]}>{t(`functions.${state}`)}</Tag>}
                </Link>
              ))}
            </ItemNav>
          }
        >
          {view === 'secrets' ? (
            <Secrets />
          ) : open === undefined ? (
            <EmptyState
              icon={<IconBolt size={22} stroke={1.75} />}
              title={t(name === undefined ? 'functions.pick-title' : 'functions.missing-title')}
              text={name === undefined ? t('functions.pick-text') : t('functions.missing-text', { name })}
            />
          ) : (
            <Opened key={open.slug} facts={open} />
          )}
        </SplitView>
      )}
    </>
  );
}

function Opened({ facts }: { facts: FunctionFacts }) {
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data: home } = useQuery({ ...homeQuery, refetchInterval: false });
  const [requestId, setRequestId] = useState<string>();
  const { slug, state } = facts;
  return (
    <div className={classes.opened}>
      <header className={classes.head}>
        <ActionIcon
          className={classes.back}
          variant="subtle"
          color="gray"
          aria-label={t('functions.back')}
          onClick={() => void navigate({ search: {} })}
        >
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <h2 className={classes.title}>{slug}</h2>
        <Tag tone={tones[state]}>{t(`functions.${state}`)}</Tag>
      </header>
      {home === undefined ? null : (
        <Copyable value={`${home.url}/functions/v1/${slug}`} what={t('functions.address')} />
      )}
      <Activity slug={slug} />
      <Invocations slug={slug} onRequest={setRequestId} />
      <LogView slug={slug} requestId={requestId} onRequest={setRequestId} />
      {mayWrite ? <InvokeForm slug={slug} /> : null}
      <CodeView facts={facts} />
      <Details facts={facts} />
    </div>
  );
}

/** Shows how the function is served and how to call the function from a shell. */
function Details({ facts }: { facts: FunctionFacts }) {
  const { data: home } = useQuery({ ...homeQuery, refetchInterval: false });
  const { slug, verifyJwt, entrypoint, deployedVersion, changedAt, secretNames } = facts;
  return (
    <section className={activity.box} aria-label={t('functions.settings')}>
      <h3 className={activity.title}>{t('functions.settings')}</h3>
      <Facts layout="stacked" className={classes.facts}>
        <Fact label={t('functions.entrypoint')}>
          <code>{deployedVersion === null ? `supabase/${entrypoint}` : entrypoint}</code>
        </Fact>
        <Fact label={t('functions.source')}>
          {deployedVersion === null
            ? t('functions.in-folder')
            : t('functions.deployed', { version: deployedVersion })}
        </Fact>
        <Fact label={t('functions.changed')}>
          <Moment at={new Date(changedAt).toISOString()} relative />
        </Fact>
        <Fact label={t('functions.token')}>
          {t(verifyJwt ? 'functions.token-needed' : 'functions.token-free')}
        </Fact>
        <Fact label={t('functions.secrets')}>
          {secretNames.length === 0 ? t('functions.no-secrets') : <code>{secretNames.join(', ')}</code>}
          <Link to="/functions" search={{ view: 'secrets' }} className={classes.manage}>
            {t('functions.all-secrets')}
          </Link>
        </Fact>
      </Facts>
      {home === undefined ? null : (
        <CodeBlock text={curlOf(home.url, home.publishableKey, slug)} what={t('functions.curl')} />
      )}
    </section>
  );
}

const curlOf = (url: string, key: string, slug: string): string =>
  [
    `curl '${url}/functions/v1/${slug}'`,
    `-H 'apikey: ${key}'`,
    "-H 'content-type: application/json'",
    `-d '{"name":"Ada"}'`,
  ].join(' \\\n  ');
