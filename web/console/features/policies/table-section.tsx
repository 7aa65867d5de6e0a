/** Shows a table with its policies. */
import { Button, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { migrationName } from '../../components/migration-choice.tsx';
import { usePersonaName } from '../../components/persona/persona-name.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { isNumberType } from '../sql/chart-data.ts';
import { shownValue } from '../sql/shown-value.ts';
import { type Policy, rowsAsQuery, type SecuredTable } from './api.ts';
import { ConfirmChange } from './change.tsx';
import { keyOf } from './listing.ts';
import classes from './page.module.css';
import { t } from './text.ts';
import { TurnedOff } from './turned-off.tsx';

interface Props {
  readonly table: SecuredTable;
  readonly as: string | undefined;
  readonly mayWrite: boolean;
  /** Opens the editor, with a new policy if the name is undefined. */
  readonly onEdit: (name: string | undefined) => void;
}

/** Shows a table. If `isCompact` is set, shows only the table's name and state until the section is opened. */
export function TableSection({
  table,
  as,
  mayWrite,
  isCompact,
  onEdit,
}: Props & {
  isCompact: boolean;
}) {
  const { schema, name, rls, forced, policies, turnedOff } = table;
  const [isOpened, setOpened] = useState(false);
  // A section that is no longer compact, for example after filtering, has no button that opens it.
  const isOpen = !isCompact || isOpened;
  const [showsRows, setShowsRows] = useState(false);
  const title = schema === 'public' ? name : `${schema}.${name}`;
  return (
    <section className={classes.table} aria-label={title}>
      <div className={classes.head}>
        {isCompact ? (
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={isOpen}
            aria-label={t('policies.details', { table: title })}
            onClick={() => setOpened(!isOpened)}
          >
            {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          </UnstyledButton>
        ) : null}
        <h2 className={classes.name}>{title}</h2>
        <Tag {...(rls ? {} : { tone: 'danger' })}>{t(rls ? 'policies.rls-on' : 'policies.rls-off')}</Tag>
        {forced ? <Tag>{t('policies.forced')}</Tag> : null}
        {isOpen ? (
          <span className={classes.tools}>
            <Button
              size="compact-xs"
              variant="default"
              aria-expanded={showsRows}
              onClick={() => setShowsRows(!showsRows)}
            >
              {t('policies.rows-show')}
            </Button>
            <Link
              to="/why"
              search={{ schema, table: name, ...(as === undefined ? {} : { as }) }}
              className={classes.link}
              aria-label={t('policies.why-of', { table: title })}
            >
              {t('policies.why')}
            </Link>
            {mayWrite ? <Security table={table} title={title} /> : null}
            {mayWrite ? (
              <Button
                size="compact-xs"
                variant="default"
                leftSection={<IconPlus size={13} aria-hidden />}
                aria-label={t('policies.new-on', { table: title })}
                onClick={() => onEdit(undefined)}
              >
                {t('policies.new')}
              </Button>
            ) : null}
          </span>
        ) : (
          <span className={classes.dim}>{t('policies.count', { count: policies.length })}</span>
        )}
      </div>
      {isOpen ? (
        <>
          {rls ? null : <p className={classes.dim}>{t('policies.rls-off-why')}</p>}
          {rls && policies.length === 0 ? <p className={classes.dim}>{t('policies.rls-empty')}</p> : null}
          {policies.length + turnedOff.length === 0 ? null : (
            <ul className={classes.policies}>
              {policies.map((policy) => (
                <PolicyRow key={policy.name} policy={policy}>
                  <button type="button" className={classes.open} onClick={() => onEdit(policy.name)}>
                    {policy.name}
                  </button>
                </PolicyRow>
              ))}
              {turnedOff.map((policy) => (
                <PolicyRow
                  key={policy.name}
                  policy={policy}
                  isOff
                  actions={mayWrite ? <TurnedOff table={table} policy={policy} /> : null}
                >
                  <span className={classes.offName}>{policy.name}</span>
                </PolicyRow>
              ))}
            </ul>
          )}
          {showsRows ? <Rows table={table} as={as} /> : null}
        </>
      ) : null}
    </section>
  );
}

function PolicyRow({
  policy,
  isOff = false,
  actions = null,
  children,
}: {
  policy: Policy;
  isOff?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { command, permissive, roles, using, check } = policy;
  return (
    <li className={classes.policy}>
      {children}
      <span className={classes.facts}>
        {isOff ? <Tag tone="warning">{t('policies.off')}</Tag> : null}
        <Tag>{command}</Tag>
        {permissive ? null : <Tag tone="warning">{t('policies.restrictive')}</Tag>}
        <span className={classes.dim}>{roles.join(', ')}</span>
      </span>
      {actions === null ? null : <span className={classes.tools}>{actions}</span>}
      {using === null ? null : (
        <p className={classes.condition}>
          <span className={classes.dim}>{t('policies.using')}</span> <code>{using}</code>
        </p>
      )}
      {check === null ? null : (
        <p className={classes.condition}>
          <span className={classes.dim}>{t('policies.check')}</span> <code>{check}</code>
        </p>
      )}
    </li>
  );
}

function Security({ table, title }: { table: SecuredTable; title: string }) {
  const [isAsking, setAsking] = useState(false);
  const { rls, forced, policies } = table;
  const next = rls ? 'off' : 'on';
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
        {t(`policies.turn-${next}`)}
      </Button>
      {isAsking ? (
        <ConfirmChange
          table={table}
          change={{ kind: 'security', enabled: !rls, forced }}
          title={t(`policies.turn-${next}-title`, { table: title })}
          action={t(`policies.turn-${next}`)}
          text={t(`policies.turn-${next}-text`, { count: policies.length })}
          migration={migrationName(rls ? 'disable_rls' : 'enable_rls', table.name)}
          isMild={!rls}
          onDone={() => setAsking(false)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

function Rows({ table, as }: { table: SecuredTable; as: string | undefined }) {
  const { data, error } = useQuery(rowsAsQuery(table, as));
  const label = t('policies.rows', { persona: usePersonaName(as) });
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={3} />;
  if (data.rows.length === 0) return <p className={classes.dim}>{`${label}: ${t('policies.rows-none')}`}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.rows} aria-label={`${label}, ${keyOf(table)}`} tabIndex={0}>
      <table>
        <caption className={classes.dim}>{label}</caption>
        <thead>
          <tr>
            {data.columns.map(({ name, type }) => (
              <th key={name} scope="col" data-number={isNumberType(type) || undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: all rows are always read together
            <tr key={index}>
              {row.map((cell, column) => {
                const type = data.columns[column]?.type ?? '';
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position
                  <td key={column} data-number={isNumberType(type) || undefined}>
                    {shownValue(cell, type)?.slice(0, 80) ?? <em>NULL</em>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
