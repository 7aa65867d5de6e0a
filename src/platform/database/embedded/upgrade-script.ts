/** Derives the update script of each of Plinth's extensions from the extension's installation script. */
import { splitSql } from '../../../base/shared/sql/split.ts';

/**
 * Converts an extension's script to a script that also works if some of the extension's objects already exist. The
 * converted script replaces functions and aggregates. The converted script keeps all other existing objects, so a new
 * version must not change them.
 *
 * @example upgradeScript('create function f() …; create type t;')
 */
export function upgradeScript(script: string): string {
  return [...splitSql(script)]
    .map(({ start, end }) => script.slice(start, end).trim())
    .filter((statement) => statement !== '')
    .map(upgradeStatement)
    .join('\n');
}

function upgradeStatement(statement: string): string {
  const [, create, kind] = /^((?:\s|--.*\n)*create)\s+(\w+)/.exec(statement) ?? [];
  if (create === undefined || kind === undefined) return `${statement};`;
  if (kind === 'function' || kind === 'aggregate')
    return `${create} or replace ${kind}${statement.slice(statement.indexOf(kind, create.length) + kind.length)};`;
  return `do $upgrade$
begin
  ${statement};
exception when duplicate_object or duplicate_function then
  null;
end
$upgrade$;`;
}
