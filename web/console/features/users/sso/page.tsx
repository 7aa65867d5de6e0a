/** The page for connections to SAML identity providers, with which members of an organization sign in. */
import { Button } from '@mantine/core';
import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Copyable } from '../../../../ui/copyable.tsx';
import { useMay } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { PageHead, ScrollPage } from '../../../components/frame/page.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { Moment } from '../../../components/moment.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { Tag } from '../../../components/tag.tsx';
import { type SsoPage as Sso, type SsoConnection, ssoQuery } from '../api.ts';
import { t } from '../text.ts';
import { UserTabs } from '../user-tabs.tsx';
import { AddConnection } from './add-connection.tsx';
import { ConnectionDetails } from './connection-details.tsx';
import classes from './sso.module.css';

const route = getRouteApi('/app/users/sso');

export function SsoPage() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const [isAdding, setAdding] = useState(false);
  const { data, error } = useQuery(ssoQuery);
  const isOn = data !== undefined && data.serviceProvider !== null;
  const open = data?.connections.find((connection) => connection.id === id);
  const close = (): void => void navigate({ search: {} });
  return (
    <>
      <PageHead title={t('sso.title')}>
        {mayWrite && isOn ? (
          <Button
            size="compact-sm"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            {t('sso.add')}
          </Button>
        ) : null}
      </PageHead>
      <UserTabs />
      <ScrollPage>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={6} />
          ) : null
        ) : data.serviceProvider === null ? (
          <EmptyState
            icon={<IconBuilding size={22} stroke={1.75} />}
            title={t('sso.off')}
            text={t('sso.off-text')}
          >
            <pre className={classes.code}>{'[auth.saml]\nenabled = true'}</pre>
          </EmptyState>
        ) : (
          <>
            <ServiceProvider provider={data.serviceProvider} />
            <Connections connections={data.connections} openId={id} />
          </>
        )}
      </ScrollPage>
      {isAdding ? (
        <AddConnection
          onClose={() => setAdding(false)}
          onAdded={(added) => {
            setAdding(false);
            void navigate({ search: { id: added.id } });
          }}
        />
      ) : null}
      {open === undefined ? null : (
        <SidePanel title={open.entityId} wide onClose={close}>
          <ConnectionDetails key={open.id} connection={open} onRemoved={close} />
        </SidePanel>
      )}
    </>
  );
}

function ServiceProvider({ provider }: { provider: NonNullable<Sso['serviceProvider']> }) {
  return (
    <section className={classes.own} aria-labelledby="sso-own">
      <h2 id="sso-own" className={classes.heading}>
        {t('sso.own')}
      </h2>
      <p className={classes.text}>{t('sso.own-text')}</p>
      <Facts>
        <Fact label={t('sso.acs')}>
          <Copyable value={provider.acsUrl} what={t('sso.acs')} />
        </Fact>
        <Fact label={t('sso.entity-id')}>
          <Copyable value={provider.entityId} what={t('sso.entity-id')} />
        </Fact>
        <Fact label={t('sso.metadata-url')}>
          <Copyable value={provider.entityId} what={t('sso.metadata-url')} />
        </Fact>
      </Facts>
    </section>
  );
}

function Connections({
  connections,
  openId,
}: {
  connections: readonly SsoConnection[];
  openId: string | undefined;
}) {
  if (connections.length === 0)
    return (
      <EmptyState
        icon={<IconBuilding size={22} stroke={1.75} />}
        title={t('sso.none')}
        text={t('sso.none-text')}
      />
    );
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('sso.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('sso.identity-provider')}</th>
          <th scope="col">{t('sso.domains')}</th>
          <th scope="col" className={list.wide}>
            {t('users.created')}
          </th>
        </tr>
      </thead>
      <tbody>
        {connections.map(({ id, entityId, domains, disabled, createdAt }) => (
          <tr key={id} data-open={id === openId || undefined}>
            <td>
              <Link to="/users/sso" search={{ id }} className={list.main}>
                {entityId}
              </Link>{' '}
              {disabled ? <Tag tone="warning">{t('sso.disabled')}</Tag> : null}
            </td>
            <td className={list.dim}>{domains.join(', ') || t('users.none')}</td>
            <td className={`${list.wide} ${list.dim}`}>
              <Moment at={createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
