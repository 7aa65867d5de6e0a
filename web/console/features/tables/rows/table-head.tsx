/** The header of a table's page, with its name, state and actions. */
import { ActionIcon, Button } from '@mantine/core';
import { IconFilter, IconLayoutSidebar, IconPlus, IconRefresh, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Relation } from '../../../api/types.ts';
import { Tag } from '../../../components/tag.tsx';
import { BackLink } from '../back-link.tsx';
import { useListVisibility } from '../list/list-visibility.ts';
import { policiesOf } from '../policies-link.ts';
import { t } from '../text.ts';
import { focusShownRows } from './rows-focus.ts';
import classes from './table-page.module.css';

export interface TableHeadProps {
  readonly relation: Relation;
  readonly hasRows: boolean;
  readonly isWritable: boolean;
  readonly canInsert: boolean;
  readonly filters: number;
  readonly showsFilters: boolean;
  readonly onFilters: () => void;
  readonly onInsert: () => void;
  readonly onImport: () => void;
  readonly onRefresh: () => void;
  /** Additional tools in the header. */
  readonly children: ReactNode;
}

export function TableHead(props: TableHeadProps) {
  const { relation, isWritable, canInsert, filters, showsFilters } = props;
  const { schema, name } = relation;
  const [showsList, setShowsList] = useListVisibility();
  return (
    <header className={classes.head}>
      <BackLink />
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.toggleList}
        aria-label={t('tables.list')}
        title={t('tables.list')}
        aria-pressed={showsList}
        onClick={() => setShowsList(!showsList)}
      >
        <IconLayoutSidebar size={18} aria-hidden />
      </ActionIcon>
      <h1 className={classes.title}>
        <span className={classes.schema}>{schema}.</span>
        {name}
      </h1>
      {props.hasRows ? (
        <button type="button" className={classes.skip} onClick={focusShownRows}>
          {t('tables.skip')}
        </button>
      ) : null}
      <span className={classes.tags}>
        {relation.kind === 'table' ? null : <Tag>{relation.kind}</Tag>}
        {isWritable ? <PolicyTag relation={relation} mayWrite={canInsert} /> : null}
        {isWritable && !relation.columns.some((column) => column.primary_key) ? (
          <Tag tone="warning" title={t('tables.no-key-why')}>
            {t('tables.no-key')}
          </Tag>
        ) : null}
      </span>
      <div className={classes.tools}>
        <Link
          to="/tables/$schema/$table/structure"
          params={{ schema, table: name }}
          className={classes.toStructure}
        >
          {t('tables.structure')}
        </Link>
        <Button
          size="compact-sm"
          variant={filters > 0 ? 'light' : 'default'}
          leftSection={<IconFilter size={15} aria-hidden />}
          aria-expanded={showsFilters}
          onClick={props.onFilters}
        >
          {filters > 0 ? t('filter.active', { count: filters }) : t('filter.open')}
        </Button>
        {canInsert ? (
          <Button size="compact-sm" leftSection={<IconPlus size={15} aria-hidden />} onClick={props.onInsert}>
            {t('tables.insert')}
          </Button>
        ) : null}
        {canInsert ? (
          <Button
            size="compact-sm"
            variant="default"
            className={classes.import}
            leftSection={<IconUpload size={15} aria-hidden />}
            onClick={props.onImport}
          >
            {t('tables.import')}
          </Button>
        ) : null}
        {props.children}
        <ActionIcon
          variant="default"
          aria-label={t('tables.refresh')}
          title={t('tables.refresh')}
          onClick={props.onRefresh}
        >
          <IconRefresh size={16} aria-hidden />
        </ActionIcon>
      </div>
    </header>
  );
}

/** Shows the state of row-level security and links to the table's policies. */
function PolicyTag({ relation, mayWrite }: { relation: Relation; mayWrite: boolean }) {
  const { rls, policies } = relation;
  const isBare = policies === 0;
  return (
    <Link
      to="/policies"
      search={policiesOf(relation, mayWrite)}
      className={classes.policies}
      title={t(rls ? 'tables.rls-on' : 'tables.no-rls')}
    >
      <Tag tone={rls ? (isBare ? 'info' : 'success') : 'warning'}>
        {rls ? t('tables.policies', { count: policies }) : t('tables.rls-off')}
      </Tag>
    </Link>
  );
}
