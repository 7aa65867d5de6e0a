/**
 * Describes an entry in a sentence. Text from the entry is inserted into the sentence as a value, and React escapes the
 * value.
 */
import { formatDateTime } from '../../../lib/i18n.ts';
import type { AuditEntry } from './api.ts';
import { usersIn } from './groups.ts';
import { isMessage, t } from './text.ts';

export type RecordedChange = RecordedValue | { readonly name: string; readonly hidden: HiddenKind };
export type HiddenKind = 'set' | 'changed' | 'removed';
interface RecordedValue {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

const maxNames = 3;
const maxShown = 60;

/** Returns the changed values. Entries from earlier versions of Plinth don't contain changed values. */
export function changesOf({ detail: { changes } }: AuditEntry): readonly RecordedChange[] {
  return Array.isArray(changes) ? changes.filter(isChange) : [];
}

const isChange = (value: unknown): value is RecordedChange =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  ('hidden' in value || 'to' in value);

export function sentenceOf(entry: AuditEntry): string {
  const { action, target, detail } = entry;
  const users = usersIn([entry]);
  if (target === '' && users > 0) return t('audit.users', { users });
  const changes = changesOf(entry);
  const [first] = changes;
  if (action === 'settings.change') {
    if (changes.length === 1 && first !== undefined) return changeText(first);
    const names = namesIn(detail.keys);
    return names === '' ? t('did.settings.change', { target }) : t('audit.many', { names });
  }
  const id = `did.${action}`;
  const text = isMessage(id)
    ? t(id, {
        target,
        rows: typeof detail.count === 'number' ? detail.count : 1,
        columns: namesIn(detail.columns),
        undo: detail.undoable === undefined ? 'unknown' : detail.undoable === true ? 'yes' : 'no',
        names: namesIn(detail.keys),
        what: textIn(detail.what),
        policy: textIn(detail.policy),
        from: textIn(detail.from),
        to: textIn(detail.to),
        until: banEnd(first),
      })
    : `${action} ${target}`.trim();
  if (changes.length === 0 || action === 'user.ban' || action === 'user.unban') return text;
  return changes.length === 1 && first !== undefined
    ? t('audit.of', { text, change: changeText(first) })
    : t('audit.of', { text, change: namesIn(changes.map(({ name }) => name)) });
}

function changeText(change: RecordedChange): string {
  const { name } = change;
  if ('hidden' in change) return t(`audit.one-hidden-${change.hidden}`, { name });
  const [from, to] = [shortened(change.from), shortened(change.to)];
  if (from === null) return t('audit.one-set', { name, to });
  return to === null ? t('audit.one-unset', { name, from }) : t('audit.one-changed', { name, from, to });
}

const shortened = (value: string | null): string | null =>
  value !== null && value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

function namesIn(list: unknown): string {
  if (!Array.isArray(list)) return '';
  const names = list.filter((name) => typeof name === 'string');
  const more = names.length - maxNames;
  return more > 0
    ? t('audit.more', { names: names.slice(0, maxNames).join(', '), count: more })
    : names.join(', ');
}

function banEnd(change: RecordedChange | undefined): string {
  const until = change !== undefined && 'to' in change ? change.to : null;
  return until === null || Number.isNaN(Date.parse(until)) ? 'none' : formatDateTime(until);
}
