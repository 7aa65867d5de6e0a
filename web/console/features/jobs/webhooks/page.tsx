/** The list of database webhooks with their latest deliveries. */

import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../../api/session.ts';
import list from '../../../components/list.module.css';
import { Moment } from '../../../components/moment.tsx';
import { hookId, hookParams, type Webhook, webhooksQuery } from '../api.ts';
import { Entries } from '../entries.tsx';
import classes from '../jobs.module.css';
import { OnSwitch } from '../on-switch.tsx';
import { DeliveryTag } from '../outcome.tsx';
import { Enabled } from '../parts.tsx';
import { t } from '../text.ts';
import { eventsText } from './events-text.ts';
import { WebhookForm } from './form.tsx';
import { WebhookPanel } from './panel.tsx';

const route = getRouteApi('/app/jobs/webhooks');

export function WebhooksPage() {
  return (
    <Enabled
      extension="pg_net"
      stateOf={({ net, hooks }) => (hooks ? net : 'missing')}
      icon={<IconWebhook size={22} stroke={1.75} />}
      title={t('hooks.off-title')}
      text={t('hooks.off-text')}
    >
      <Webhooks />
    </Enabled>
  );
}

function Webhooks() {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const { data, error } = useQuery(webhooksQuery);
  const open = data?.find((hook) => hookId(hook) === id);
  return (
    <>
      <Entries
        entries={data}
        error={error}
        add={{ label: t('hooks.new'), onClick: () => setCreating(true) }}
        none={{
          icon: <IconWebhook size={22} stroke={1.75} />,
          title: t('hooks.none-title'),
          text: t('hooks.none-text'),
        }}
        missing={
          id === undefined || data === undefined || open !== undefined
            ? undefined
            : { title: t('hooks.not-found'), onBack: () => void navigate({ search: {} }) }
        }
      >
        {(all) => <WebhookTable hooks={all} openId={id} />}
      </Entries>
      {isCreating ? (
        <WebhookForm
          onClose={() => setCreating(false)}
          onSaved={(hook) => {
            setCreating(false);
            void navigate({ search: { id: hookId(hook) } });
          }}
        />
      ) : null}
      {open === undefined ? null : (
        <WebhookPanel
          key={id}
          hook={open}
          onClose={() => void navigate({ search: {} })}
          onRenamed={(hook) => void navigate({ search: { id: hookId(hook) }, replace: true })}
        />
      )}
    </>
  );
}

function WebhookTable({ hooks, openId }: { hooks: readonly Webhook[]; openId: string | undefined }) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('jobs.webhooks')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('hooks.name')}</th>
          <th scope="col" className={list.wide}>
            {t('hooks.events')}
          </th>
          <th scope="col" className={list.wide}>
            {t('hooks.to')}
          </th>
          <th scope="col">{t('hooks.last')}</th>
          <th scope="col">{t('hooks.on')}</th>
        </tr>
      </thead>
      <tbody>
        {hooks.map((hook) => (
          <tr key={hookId(hook)} data-open={hookId(hook) === openId || undefined}>
            <td>
              <span className={classes.two}>
                <Link to="/jobs/webhooks" search={{ id: hookId(hook) }} className={list.main}>
                  {hook.name}
                </Link>
                <span className={`${list.dim} ${classes.clip}`}>
                  {hook.schema}.{hook.table}
                </span>
              </span>
            </td>
            <td className={list.wide}>{eventsText(hook.events)}</td>
            <td className={list.wide} title={hook.url}>
              <code>{hook.url}</code>
            </td>
            <td>
              {hook.last_delivery === null ? (
                <span className={list.dim}>{t('hooks.never')}</span>
              ) : (
                <span className={classes.entryHead}>
                  <DeliveryTag {...hook.last_delivery} />
                  <span className={list.dim}>
                    <Moment at={hook.last_delivery.sent_at} relative />
                  </span>
                </span>
              )}
            </td>
            <td>
              <OnSwitch
                label={t('hooks.switch', { name: hook.name })}
                isOn={hook.enabled}
                onSwitch={(enabled) =>
                  fetchConsole('PATCH /jobs/webhooks/:schema/:table/:name', {
                    params: hookParams(hook),
                    body: { enabled },
                  })
                }
                queryKey={webhooksQuery.queryKey}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
