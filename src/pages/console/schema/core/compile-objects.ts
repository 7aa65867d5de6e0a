/** Converts changes of types, sequences, publications, event triggers and foreign servers to SQL statements. */
import { quoteIdentifier as id, quoteLiteral } from '../../../../base/kernel/sql.ts';
import type { ForeignOptions, ObjectChange, SequenceOptions } from '../object-changes.ts';
import { expression, qualified, typeName } from './parts.ts';

export function compileObjectChange(change: ObjectChange): string[] {
  switch (change.kind) {
    case 'create_domain':
    case 'alter_domain':
    case 'add_domain_check':
    case 'drop_domain_check':
    case 'rename_domain':
    case 'drop_domain':
      return compileDomain(change);
    case 'create_composite':
    case 'add_attribute':
    case 'rename_composite':
    case 'drop_composite':
      return [compileComposite(change)];
    case 'create_sequence':
    case 'alter_sequence':
    case 'drop_sequence':
      return compileSequence(change);
    case 'create_publication':
    case 'publish_tables':
    case 'unpublish_tables':
    case 'alter_publication':
    case 'drop_publication':
      return [compilePublication(change)];
    case 'set_event_trigger':
      return [`alter event trigger ${id(change.trigger)} ${change.enabled ? 'enable' : 'disable'}`];
    case 'drop_event_trigger':
      return [`drop event trigger ${id(change.trigger)}`];
    default:
      return [compileForeign(change)];
  }
}

type Of<Kind extends ObjectChange['kind']> = Extract<ObjectChange, { kind: Kind }>;

function compileDomain(
  change: Of<
    | 'create_domain'
    | 'alter_domain'
    | 'add_domain_check'
    | 'drop_domain_check'
    | 'rename_domain'
    | 'drop_domain'
  >,
): string[] {
  const domain = qualified(change.schema, change.name);
  switch (change.kind) {
    case 'create_domain': {
      const parts = [`create domain ${domain} as ${typeName(change.type)}`];
      if (change.default !== undefined) parts.push(`default ${expression(change.default, 'default')}`);
      if (change.notNull) parts.push('not null');
      if (change.check !== undefined) parts.push(`check ${expression(change.check, 'check')}`);
      return [parts.join(' ')];
    }
    case 'alter_domain': {
      const actions: string[] = [];
      if (change.default === null) actions.push('drop default');
      else if (change.default !== undefined)
        actions.push(`set default ${expression(change.default, 'default')}`);
      if (change.notNull !== undefined) actions.push(change.notNull ? 'set not null' : 'drop not null');
      return actions.map((action) => `alter domain ${domain} ${action}`);
    }
    case 'add_domain_check': {
      const name = change.constraint === undefined ? '' : `constraint ${id(change.constraint)} `;
      return [`alter domain ${domain} add ${name}check ${expression(change.check, 'check')}`];
    }
    case 'drop_domain_check':
      return [`alter domain ${domain} drop constraint ${id(change.constraint)}`];
    case 'rename_domain':
      return [`alter domain ${domain} rename to ${id(change.to)}`];
    case 'drop_domain':
      return [`drop domain ${domain}`];
  }
}

function compileComposite(
  change: Of<'create_composite' | 'add_attribute' | 'rename_composite' | 'drop_composite'>,
): string {
  const type = qualified(change.schema, change.name);
  switch (change.kind) {
    case 'create_composite': {
      const attributes = change.attributes.map((each) => `${id(each.name)} ${typeName(each.type)}`);
      return `create type ${type} as (\n  ${attributes.join(',\n  ')}\n)`;
    }
    case 'add_attribute':
      return `alter type ${type} add attribute ${id(change.attribute.name)} ${typeName(change.attribute.type)}`;
    case 'rename_composite':
      return `alter type ${type} rename to ${id(change.to)}`;
    case 'drop_composite':
      return `drop type ${type}`;
  }
}

function compileSequence(change: Of<'create_sequence' | 'alter_sequence' | 'drop_sequence'>): string[] {
  const sequence = qualified(change.schema, change.name);
  if (change.kind === 'drop_sequence') return [`drop sequence ${sequence}`];
  const words = sequenceWords(change.options, change.kind === 'create_sequence' ? 'start' : 'restart');
  if (change.kind === 'create_sequence')
    return [[`create sequence ${sequence} as ${change.type}`, ...words].join(' ')];
  return words.length === 0 ? [] : [[`alter sequence ${sequence}`, ...words].join(' ')];
}

/** The numbers contain only digits, which the contract checks. */
function sequenceWords(
  { increment, min, max, cycle, restart }: SequenceOptions,
  first: 'start' | 'restart',
): string[] {
  return [
    ...(increment === undefined ? [] : [`increment by ${increment}`]),
    ...(min === undefined ? [] : [`minvalue ${min}`]),
    ...(max === undefined ? [] : [`maxvalue ${max}`]),
    ...(restart === undefined ? [] : [`${first} with ${restart}`]),
    ...(cycle === undefined ? [] : [cycle ? 'cycle' : 'no cycle']),
  ];
}

function compilePublication(
  change: Of<
    'create_publication' | 'publish_tables' | 'unpublish_tables' | 'alter_publication' | 'drop_publication'
  >,
): string {
  const publication = id(change.publication);
  const tables = 'tables' in change ? change.tables.map(({ schema, name }) => qualified(schema, name)) : [];
  switch (change.kind) {
    case 'create_publication': {
      const target = tables.length === 0 ? '' : ` for table ${tables.join(', ')}`;
      return `create publication ${publication}${target} with (${operations(change.operations)})`;
    }
    case 'publish_tables':
      return `alter publication ${publication} add table ${tables.join(', ')}`;
    case 'unpublish_tables':
      return `alter publication ${publication} drop table ${tables.join(', ')}`;
    case 'alter_publication':
      return `alter publication ${publication} set (${operations(change.operations)})`;
    case 'drop_publication':
      return `drop publication ${publication}`;
  }
}

const operations = (names: readonly string[]): string => `publish = '${names.join(', ')}'`;

function compileForeign(
  change: Of<'create_server' | 'drop_server' | 'create_user_mapping' | 'drop_user_mapping'>,
): string {
  const server = id(change.server);
  switch (change.kind) {
    case 'create_server':
      return `create server ${server} foreign data wrapper ${id(change.wrapper)}${optionList(change.options)}`;
    case 'drop_server':
      return `drop server ${server}`;
    case 'create_user_mapping':
      return `create user mapping for ${mapped(change.role)} server ${server}${optionList(change.options)}`;
    case 'drop_user_mapping':
      return `drop user mapping for ${mapped(change.role)} server ${server}`;
  }
}

const mapped = (role: string): string => (role === 'public' ? 'public' : id(role));

function optionList(options: ForeignOptions): string {
  const list = Object.entries(options).map(([name, value]) => `${id(name)} ${quoteLiteral(value)}`);
  return list.length === 0 ? '' : ` options (${list.join(', ')})`;
}
