/**
 * The one statement that sets everything local of a request: role, claims, headers, search_path, read only.
 * It is prepared once per list of names, so only values travel.
 */
import { quoteLiteral } from '../../kernel/sql.ts';
import { checkRole } from '../request-role.ts';
import type { PathRequest, Setting } from '../types.ts';

export interface SettingsStatement {
  readonly key: string;
  readonly text: string;
  readonly values: string[];
}

interface Made {
  readonly key: string;
  readonly text: string;
  readonly settings: readonly Setting[];
  /** How many settings of other requests follow, each set to the empty text. */
  readonly emptied: number;
  readonly contextSize: number;
}

function sameNames(some: readonly Setting[], others: readonly Setting[]): boolean {
  return some.length === others.length && some.every(([name], index) => name === others[index]?.[0]);
}

/** More than any service of ours has; a bound on what is kept. */
const REMEMBERED_NAMES = 32;

export class SettingsStatements {
  readonly #texts = new Map<string, string>();
  /** What the last request got: the next one nearly always has the same names in the same order. */
  readonly #last: Partial<Record<PathRequest['access'], Made>> = {};
  /** Settings `request.…` that some request has set. */
  readonly #context = new Set<string>();

  /**
   * A `request.…` setting that another request sets is set here too, to the empty text, which is what it is after that
   * request's transaction anyhow. So not even a value that a function of a user set for the whole session
   * (`set_config('request.jwt.claim.sub', …, false)`) is seen by the next request.
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

  #make(request: Pick<PathRequest, 'role' | 'settings' | 'access'>): SettingsStatement {
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
 * PostgreSQL evaluates the target list from left to right, so the settings take effect in their order. Inside a
 * sub-select that nobody takes a column of they all do, being volatile, and not one of the values travels back: a tenth
 * of what a read by key costs the server.
 */
function settingsText(names: readonly string[], readOnly: boolean): string {
  const calls = names.map(
    (name, index) => `pg_catalog.set_config(${quoteLiteral(name)}, $${index + 1}, true)`,
  );
  if (readOnly) calls.push(`pg_catalog.set_config('transaction_read_only', 'on', true)`);
  return `select from (select ${calls.join(', ')}) settings`;
}
