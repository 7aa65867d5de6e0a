/** Converts changes of functions, views and triggers to SQL statements. */
import type { DefinitionChange } from '../definition-changes.ts';
import { DefinitionFault, definitionStatements } from './definition.ts';
import { ChangeFault, qualified } from './parts.ts';

/** @throws {ChangeFault} */
export function compileDefinitionChange(change: DefinitionChange): string[] {
  if (change.kind === 'define') {
    try {
      return definitionStatements(change.object, change.text);
    } catch (error) {
      throw error instanceof DefinitionFault ? new ChangeFault(error.message) : error;
    }
  }
  const name = qualified(change.schema, change.name);
  const cascade = change.cascade ? ' cascade' : '';
  if (change.kind === 'drop_view')
    return [`drop ${change.isMaterialized ? 'materialized view' : 'view'} ${name}${cascade}`];
  const types = change.types.map((type) => qualified(type.schema, type.name)).join(', ');
  // An aggregate without parameters, such as count(*), is written with an asterisk.
  const parameters = types === '' && change.routine === 'aggregate' ? '*' : types;
  return [`drop ${change.routine} ${name}(${parameters})${cascade}`];
}
