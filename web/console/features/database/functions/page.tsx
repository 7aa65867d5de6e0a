/** Lists the database's functions and procedures. */
import { Button } from '@mantine/core';
import { IconMathFunction } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session.ts';
import list from '../../../components/list.module.css';
import { DefinitionPanel } from '../definition-panel.tsx';
import { type ChangeSearch, merged } from '../list-tools.tsx';
import { ObjectList } from '../object-list.tsx';
import classes from '../parts.module.css';
import { t } from '../text.ts';
import { type RoutineRow, routinesQuery } from './api.ts';
import { FunctionPanel } from './function-panel.tsx';
import { RoutineTags } from './routine-tags.tsx';
import { templates } from './templates.ts';

const route = getRouteApi('/app/database/functions');

export function DatabaseFunctionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(routinesQuery);
  const mayWrite = useMay('write');
  const [isCreating, setCreating] = useState(false);
  const change: ChangeSearch = (next) =>
    void navigate({ search: (previous) => merged(previous, next), replace: !('open' in next) });
  const close = (): void => change({ open: undefined });
  return (
    <>
      <ObjectList
        texts={{
          title: t('database.functions'),
          search: t('routines.search'),
          none: t('routines.none-title'),
          noneText: t('routines.none-text'),
        }}
        icon={<IconMathFunction size={22} stroke={1.75} />}
        query={query}
        search={search}
        nameOf={({ signature }) => signature}
        onChange={change}
        actions={
          mayWrite ? (
            <Button size="compact-sm" onClick={() => setCreating(true)}>
              {t('routines.new')}
            </Button>
          ) : null
        }
      >
        {(shown) => (
          <FunctionTable functions={shown} open={search.open} onOpen={(id) => change({ open: id })} />
        )}
      </ObjectList>
      {search.open === undefined || isCreating ? null : (
        <FunctionPanel key={search.open} signature={search.open} onClose={close} />
      )}
      {isCreating ? (
        <DefinitionPanel
          title={t('routines.new')}
          object="routine"
          text=""
          templates={templates()}
          onClose={() => setCreating(false)}
          onDone={() => setCreating(false)}
        />
      ) : null}
    </>
  );
}

function FunctionTable({
  functions,
  open,
  onOpen,
}: {
  functions: readonly RoutineRow[];
  open: string | undefined;
  onOpen: (signature: string) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('database.functions')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('routines.function')}</th>
          <th scope="col" className={list.wide}>
            {t('routines.returns')}
          </th>
          <th scope="col" className={list.wide}>
            {t('routines.language')}
          </th>
          <th scope="col">{t('routines.properties')}</th>
        </tr>
      </thead>
      <tbody>
        {functions.map((each) => (
          <tr key={each.signature} data-open={each.signature === open || undefined}>
            <td>
              <button
                type="button"
                className={`${classes.open} ${list.main}`}
                onClick={() => onOpen(each.signature)}
              >
                {each.schema}.{each.name}
              </button>
              <span className={`${classes.sub} ${classes.code}`}>({each.arguments})</span>
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              <span className={classes.code}>{each.returns ?? '—'}</span>
            </td>
            <td className={`${list.wide} ${list.dim}`}>{each.language}</td>
            <td>
              <span className={classes.tags}>
                <RoutineTags routine={each} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
