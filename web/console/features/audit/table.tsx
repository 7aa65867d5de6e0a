/** The table of the audit log. The entries of a bulk action share a row that can be expanded. */
import { type ReactNode, useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import type { AuditEntry } from './api.ts';
import { groupByOperation, usersIn } from './groups.ts';
import classes from './page.module.css';
import { changesOf, type RecordedChange, sentenceOf } from './sentence.ts';
import { t } from './text.ts';

export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <table className={`${list.table} ${classes.table}`}>
      <caption className="visually-hidden">{t('audit.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('audit.when')}</th>
          <th scope="col" className={list.wide}>
            {t('audit.operator')}
          </th>
          <th scope="col">{t('audit.action')}</th>
          <th scope="col">{t('audit.change')}</th>
        </tr>
      </thead>
      <tbody>
        {groupByOperation(entries).map(({ id, entries: [first, ...more] }) =>
          more.length === 0 ? (
            <EntryRows key={id} entry={first} />
          ) : (
            <OperationRows key={id} entries={[first, ...more]} />
          ),
        )}
      </tbody>
    </table>
  );
}

function OperationRows({ entries }: { entries: readonly [AuditEntry, ...AuditEntry[]] }) {
  const [isOpen, setOpen] = useState(false);
  const [{ at, operator_name, action }] = entries;
  return (
    <>
      <Row isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
        <td className={list.dim}>
          <Moment at={at} relative />
        </td>
        <td className={list.wide}>{operator_name}</td>
        <td>
          <ActionButton
            action={action}
            label={t('audit.open-operation', { action, count: entries.length })}
            isOpen={isOpen}
          />
        </td>
        <td>{t('audit.operation', { users: usersIn(entries), count: entries.length })}</td>
      </Row>
      {isOpen ? entries.map((entry) => <EntryRows key={entry.id} entry={entry} isPart />) : null}
    </>
  );
}

function EntryRows({ entry, isPart = false }: { entry: AuditEntry; isPart?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { at, operator_name, action, target, detail, request_id } = entry;
  const changes = changesOf(entry);
  const sentence = sentenceOf(entry);
  return (
    <>
      <Row isOpen={isOpen} isPart={isPart} onToggle={() => setOpen(!isOpen)}>
        <td className={list.dim}>
          <Moment at={at} relative />
        </td>
        <td className={list.wide}>{operator_name}</td>
        <td>
          <ActionButton action={action} label={t('audit.open', { action })} isOpen={isOpen} />
        </td>
        <td title={sentence}>{sentence}</td>
      </Row>
      {isOpen ? (
        <tr>
          <td colSpan={4} className={classes.detail}>
            <Facts layout="columns" className={classes.facts}>
              <Fact label={t('audit.when')}>
                <Moment at={at} />
              </Fact>
              <Fact label={t('audit.operator')}>{operator_name}</Fact>
              <Fact label={t('audit.target')}>{target}</Fact>
              {request_id === null ? null : (
                <Fact label={t('audit.request')}>
                  <Copyable value={request_id} what={t('audit.request')} />
                </Fact>
              )}
            </Facts>
            {changes.length === 0 ? null : <ChangesTable changes={changes} />}
            <JsonBlock value={detail} what={t('audit.detail')} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

interface ActionButtonProps {
  readonly action: string;
  readonly label: string;
  readonly isOpen: boolean;
}

/** A row that opens wherever it is clicked. Its button receives the keyboard, and a click on the button is handled here. */
function Row({
  isOpen,
  isPart = false,
  onToggle,
  children,
}: {
  isOpen: boolean;
  isPart?: boolean;
  onToggle: () => void;
  children: ReactNode;
}) {
  return (
    <tr
      data-open={isOpen || undefined}
      className={`${classes.row} ${isPart ? classes.part : ''}`}
      onClick={() => {
        // Selecting text in the row doesn't open the row.
        if (window.getSelection()?.isCollapsed !== false) onToggle();
      }}
    >
      {children}
    </tr>
  );
}

const ActionButton = ({ action, label, isOpen }: ActionButtonProps) => (
  <button type="button" className={classes.action} aria-expanded={isOpen} aria-label={label}>
    <code>{action}</code>
  </button>
);

/** The old and new values of an entry. */
function ChangesTable({ changes }: { changes: readonly RecordedChange[] }) {
  return (
    <table className={`${list.table} ${classes.changes}`}>
      <caption className="visually-hidden">{t('audit.changes')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('audit.setting')}</th>
          <th scope="col">{t('audit.from')}</th>
          <th scope="col">{t('audit.to')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.name}>
            <th scope="row">
              <code>{change.name}</code>
            </th>
            {'hidden' in change ? (
              <td colSpan={2} className={list.dim}>
                {t(`audit.hidden-${change.hidden}`)}
              </td>
            ) : (
              <>
                <td>
                  <Value text={change.from} />
                </td>
                <td>
                  <Value text={change.to} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Value = ({ text }: { text: string | null }) =>
  text === null ? <span className={list.dim}>{t('audit.unset')}</span> : <code>{text}</code>;
