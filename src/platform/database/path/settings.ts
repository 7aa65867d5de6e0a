/**
 * Builds the statement that sets all transaction-local settings for a request, which are the role, claims, headers,
 * search_path and read-only mode. The statement is prepared once for each list of names, so only the values are sent.
 */
import { quoteLiteral } from '../../../base/kernel/sql.ts';
import { checkRole } from '../request-role.ts';
import type { PathRequest, Setting } from '../types.ts';
import { localStatements } from './local-settings.ts';

export interface SettingsStatement {
  readonly key: string;
  readonly text: string;
  readonly values: string[];
}

/** The statements of a request on a server that passes only SET LOCAL on to other servers. */
export interface LocalSettings {
  readonly texts: readonly string[];
}

interface Made {
  readonly key: string;
  readonly text: string;
  readonly settings: readonly Setting[];
  /**
   * The number of settings that the statement sets to the empty string because other requests have used these settings.
   */
  readonly emptied: number;
  readonly contextSize: number;
}

function sameNames(some: readonly Setting[], others: readonly Setting[]): boolean {
  return some.length === others.length && some.every(([name], index) => name === others[index]?.[0]);
}

/**
 * The maximum number of setting names that are stored, which limits memory use. Plinth's services use fewer different
 * names.
 */
const REMEMBERED_NAMES = 32;

export class SettingsStatements {
  readonly #texts = new Map<string, string>();
  /**
   * The most recently used statement for each access mode. The next request nearly always has the same names in the
   * same order.
   */
  readonly #last: Partial<Record<PathRequest['access'], Made>> = {};
  /** The `request.…` settings that any request has set. */
  readonly #context: Set<string>;

  /** `context` contains the names of the `request.…` settings that other processes may set. */
  constructor(context: readonly string[] = []) {
    this.#context = new Set(context);
  }

  /**
   * Returns the statement for a request. The statement also sets every other `request.…` setting that earlier requests
   * have used to the empty string, which is the setting's value after those requests' transactions anyway. The request
   * therefore can't read a value that a user's function has set for the whole session
   * (`set_config('request.jwt.claim.sub', …, false)`).
   */
  of(request: Pick<PathRequest, 'role' | 'settings' | 'access'>): SettingsStatement {
    checkRole(request.role);
    const last = this.#last[request.access];
    if (last?.contextSize === this.#context.size && sameNames(request.settings, last.settings)) {
      const values = request.settings.map(([, value]) => value);
      for (let count = last.emptied; count > 0; count--) values.push('');
      return { key: last.key, text: last.text, values };
    }
    return this.#make(request);
  }

  /** Returns SET LOCAL statements that do the same, except that BEGIN sets the access mode. */
  localOf(request: Pick<PathRequest, 'role' | 'settings'>): LocalSettings {
    checkRole(request.role);
    const { names, values } = this.#all(request);
    return { texts: localStatements(names.map((name, index) => [name, values[index] as string])) };
  }

  #make(request: Pick<PathRequest, 'role' | 'settings' | 'access'>): SettingsStatement {
    const { names, values, setsRole, given } = this.#all(request);
    const readOnly = request.access === 'read only';
    const key = `${readOnly ? 'set read only' : 'set'} ${names.join('\n')}`;
    const text = this.#text(key, names, readOnly);
    if (setsRole) {
      const emptied = names.length - given;
      this.#last[request.access] = {
        key,
        text,
        settings: request.settings,
        emptied,
        contextSize: this.#context.size,
      };
    }
    return { key, text, values };
  }

  /** Returns all settings of a request. `given` is the number of those that aren't emptied. */
  #all(request: Pick<PathRequest, 'role' | 'settings'>) {
    const names: string[] = [];
    const values: string[] = [];
    for (const [name, value] of request.settings) {
      names.push(name);
      values.push(value);
      if (name.startsWith('request.') && this.#context.size < REMEMBERED_NAMES) this.#context.add(name);
    }
    const setsRole = names.includes('role');
    if (!setsRole) {
      names.unshift('role');
      values.unshift(request.role);
    }
    const given = names.length;
    for (const name of this.#context) {
      if (names.includes(name)) continue;
      names.push(name);
      values.push('');
    }
    return { names, values, setsRole, given };
  }

  #text(key: string, names: readonly string[], readOnly: boolean): string {
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = settingsText(names, readOnly);
      this.#texts.set(key, text);
      if (this.#texts.size > REMEMBERED_NAMES) this.#texts.delete(this.#texts.keys().next().value as string);
    }
    return text;
  }
}

/**
 * Returns the text of the statement that sets the settings. PostgreSQL evaluates the target list from left to right, so
 * the settings are applied in order. The `set_config` calls are in a subquery whose columns aren't selected, but they
 * are evaluated because they are volatile. The server therefore doesn't return any values, so a read by key costs the
 * server about 10% less.
 */
function settingsText(names: readonly string[], readOnly: boolean): string {
  const calls = names.map(
    (name, index) => `pg_catalog.set_config(${quoteLiteral(name)}, $${index + 1}, true)`,
  );
  if (readOnly) calls.push(`pg_catalog.set_config('transaction_read_only', 'on', true)`);
  return `select from (select ${calls.join(', ')}) settings`;
}
