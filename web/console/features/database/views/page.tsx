/** Lists the database's views and materialized views. */
import { Button } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import list from '../../../components/list.module.css';
import { printSize } from '../../storage/sizes.ts';
import { DefinitionPanel } from '../definition-panel.tsx';
import { type ChangeSearch, merged } from '../list-tools.tsx';
import { ObjectList } from '../object-list.tsx';
import classes from '../parts.module.css';
import { t } from '../text.ts';
import { type ViewRow, viewsQuery } from './api.ts';
import { ViewPanel } from './view-panel.tsx';
import { ViewTags } from './view-tags.tsx';

const route = getRouteApi('/app/database/views');

const idOf = ({ schema, name }: ViewRow): string => `${schema}.${name}`;

const templates = (): { readonly label: string; readonly text: string }[] => [
  {
    label: t('views.view'),
    text: `create view public.my_view with (security_invoker = true) as
select id, created_at
from public.my_table;
`,
  },
  {
    label: t('views.materialized'),
    text: `create materialized view public.my_summary as
select date_trunc('day', created_at) as day, count(*) as total
from public.my_table
group by 1;

-- Needed to refresh without blocking readers.
create unique index on public.my_summary (day);
`,
  },
];

export function ViewsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(viewsQuery);
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  const change: ChangeSearch = (next) =>
    void navigate({ search: (previous) => merged(previous, next), replace: !('open' in next) });
  const open = query.data?.find((view) => idOf(view) === search.open);
  return (
    <>
      <ObjectList
        texts={{
          title: t('database.views'),
          search: t('views.search'),
          none: t('views.none-title'),
          noneText: t('views.none-text'),
        }}
        icon={<IconEye size={22} stroke={1.75} />}
        query={query}
        search={search}
        nameOf={idOf}
        onChange={change}
        actions={
          mayWrite ? (
            <Button size="compact-sm" onClick={() => setCreating(true)}>
              {t('views.new')}
            </Button>
          ) : null
        }
      >
        {(shown) => <ViewTable views={shown} open={search.open} onOpen={(id) => change({ open: id })} />}
      </ObjectList>
      {open === undefined || isCreating ? null : (
        <ViewPanel key={idOf(open)} view={open} onClose={() => change({ open: undefined })} />
      )}
      {isCreating ? (
        <DefinitionPanel
          title={t('views.new')}
          object="view"
          text=""
          templates={templates()}
          onClose={() => setCreating(false)}
          onDone={() => setCreating(false)}
        />
      ) : null}
    </>
  );
}

function ViewTable({
  views,
  open,
  onOpen,
}: {
  views: readonly ViewRow[];
  open: string | undefined;
  onOpen: (id: string) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('database.views')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('views.view')}</th>
          <th scope="col">{t('routines.properties')}</th>
          <th scope="col" className={list.wide}>
            {t('routines.owner')}
          </th>
          <th scope="col" className={`${list.number} ${list.wide}`}>
            {t('views.size')}
          </th>
        </tr>
      </thead>
      <tbody>
        {views.map((view) => (
          <tr key={idOf(view)} data-open={idOf(view) === open || undefined}>
            <td>
              <button
                type="button"
                className={`${classes.open} ${list.main}`}
                onClick={() => onOpen(idOf(view))}
              >
                {idOf(view)}
              </button>
              {view.comment === null ? null : <span className={classes.sub}>{view.comment}</span>}
            </td>
            <td>
              <span className={classes.tags}>
                <ViewTags view={view} />
              </span>
            </td>
            <td className={`${list.wide} ${list.dim}`}>{view.owner}</td>
            <td className={`${list.number} ${list.wide}`}>
              {view.kind === 'view' ? '—' : printSize(view.size_bytes)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
