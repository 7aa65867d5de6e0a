/** Lists the triggers of all tables. */
import { Button } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import list from '../../../components/list.module.css';
import { Tag } from '../../../components/tag.tsx';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { DefinitionPanel } from '../definition-panel.tsx';
import { type ChangeSearch, merged } from '../list-tools.tsx';
import { ObjectList } from '../object-list.tsx';
import classes from '../parts.module.css';
import { SqlSource } from '../sql-source.tsx';
import { t } from '../text.ts';
import { type DatabaseTrigger, triggersQuery } from './api.ts';

const route = getRouteApi('/app/database/triggers');

const idOf = ({ schema, table, name }: DatabaseTrigger): string => `${schema}.${table} ${name}`;

const template = (): { readonly label: string; readonly text: string }[] => [
  {
    label: t('triggers.template'),
    text: `create trigger my_trigger
before insert or update on public.my_table
for each row
execute function public.my_trigger_function();
`,
  },
];

export function TriggersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(triggersQuery);
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  const change: ChangeSearch = (next) =>
    void navigate({ search: (previous) => merged(previous, next), replace: !('open' in next) });
  const open = query.data?.find((trigger) => idOf(trigger) === search.open);
  return (
    <>
      <ObjectList
        texts={{
          title: t('database.triggers'),
          search: t('triggers.search'),
          none: t('triggers.none-title'),
          noneText: t('triggers.none-text'),
        }}
        icon={<IconBolt size={22} stroke={1.75} />}
        query={query}
        search={search}
        nameOf={(trigger) => `${idOf(trigger)} ${trigger.function}`}
        onChange={change}
        actions={
          mayWrite ? (
            <Button size="compact-sm" onClick={() => setCreating(true)}>
              {t('triggers.new')}
            </Button>
          ) : null
        }
      >
        {(shown) => (
          <TriggerTable triggers={shown} open={search.open} onOpen={(id) => change({ open: id })} />
        )}
      </ObjectList>
      {open === undefined || isCreating ? null : (
        <TriggerPanel key={idOf(open)} trigger={open} onClose={() => change({ open: undefined })} />
      )}
      {isCreating ? (
        <DefinitionPanel
          title={t('triggers.new')}
          object="trigger"
          text=""
          templates={template()}
          onClose={() => setCreating(false)}
          onDone={() => setCreating(false)}
        />
      ) : null}
    </>
  );
}

function TriggerTable({
  triggers,
  open,
  onOpen,
}: {
  triggers: readonly DatabaseTrigger[];
  open: string | undefined;
  onOpen: (id: string) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('database.triggers')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('triggers.trigger')}</th>
          <th scope="col">{t('triggers.when')}</th>
          <th scope="col" className={list.wide}>
            {t('triggers.function')}
          </th>
        </tr>
      </thead>
      <tbody>
        {triggers.map((trigger) => (
          <tr key={idOf(trigger)} data-open={idOf(trigger) === open || undefined}>
            <td>
              <span className={list.named}>
                <button
                  type="button"
                  className={`${classes.open} ${list.main}`}
                  onClick={() => onOpen(idOf(trigger))}
                >
                  {trigger.name}
                </button>
                {trigger.enabled ? null : <Tag tone="warning">{t('triggers.disabled')}</Tag>}
              </span>
              <span className={classes.sub}>
                {trigger.schema}.{trigger.table}
              </span>
            </td>
            <td className={list.dim}>{whenText(trigger)}</td>
            <td className={list.wide}>
              <Link to="/database/functions" search={{ open: trigger.function }} className={classes.code}>
                {trigger.function}
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const whenText = ({ timing, events, for_each }: DatabaseTrigger): string =>
  t('triggers.when-text', { timing, events: events.join(', '), each: for_each });

function TriggerPanel({ trigger, onClose }: { trigger: DatabaseTrigger; onClose: () => void }) {
  const mayWrite = useMay('write');
  const [mode, setMode] = useState<'view' | 'edit' | 'drop' | 'switch'>('view');
  const { schema, table, name, enabled, source } = trigger;
  const back = (): void => setMode('view');
  const at = { schema, table, name };
  if (mode === 'edit' && source !== null)
    return (
      <DefinitionPanel
        title={t('triggers.edit', { name })}
        object="trigger"
        text={source}
        onClose={back}
        onDone={back}
      />
    );
  if (mode === 'drop')
    return (
      <ChangePanel
        title={t('database.drop-title', { name })}
        changes={[{ kind: 'drop_trigger', ...at }]}
        startsWithReview
        onClose={back}
        onDone={onClose}
      />
    );
  if (mode === 'switch')
    return (
      <ChangePanel
        title={name}
        changes={[{ kind: 'set_trigger', ...at, enabled: !enabled }]}
        startsWithReview
        onClose={back}
      />
    );
  return (
    <SidePanel title={name} onClose={onClose} wide>
      <div className={classes.panel}>
        <Facts>
          <Fact label={t('triggers.table')}>
            <Link to="/tables/$schema/$table/structure" params={{ schema, table }}>
              {schema}.{table}
            </Link>
          </Fact>
          <Fact label={t('triggers.when')}>{whenText(trigger)}</Fact>
          <Fact label={t('triggers.function')}>
            <Link to="/database/functions" search={{ open: trigger.function }} className={classes.code}>
              {trigger.function}
            </Link>
          </Fact>
          <Fact label={t('triggers.state')}>{t(enabled ? 'triggers.enabled' : 'triggers.disabled')}</Fact>
        </Facts>
        {source === null ? (
          <p className={classes.dim}>{t('triggers.source-hidden')}</p>
        ) : (
          <SqlSource text={source} label={t('triggers.definition')} />
        )}
        {mayWrite && trigger.may_change ? (
          <div className={classes.tools}>
            <Button size="compact-sm" variant="default" onClick={() => setMode('edit')}>
              {t('database.edit')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode('switch')}>
              {t(enabled ? 'triggers.disable' : 'triggers.enable')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setMode('drop')}>
              {t('database.drop')}
            </Button>
          </div>
        ) : null}
      </div>
    </SidePanel>
  );
}
